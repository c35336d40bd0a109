// `T_bool_exp`: conditions on rows.

import {
  type GraphQLInputFieldConfig,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql'
import { isComparable } from '../../../../sdk/access.ts'
import {
  type BooleanPlanner,
  columnType,
  declaredField,
  type InputFieldMap,
  type PlanContext,
  type SchemaScope,
  tableInput,
  type Value,
} from '../../../../sdk/graphql.ts'
import { nameText } from '../../../../sdk/index.ts'
import type { TableModel } from '../../../../sdk/metadata.ts'
import { allOf, always, type Condition } from '../../../../sdk/sql.ts'
import { selectableColumns } from '../row-type.ts'
import {
  comparisonType,
  equalityType,
  hasFormerTypes,
  isHolding,
  maskedSubject,
  planComparison,
  subjectOf,
  transformedSubject,
} from './comparison.ts'

/** `T_bool_exp`. */
export const booleanExpressionType = tableInput({
  name: (table) => `${table.graphqlName}_bool_exp`,
  description: ({ name }) =>
    `Boolean expression to filter rows from the table "${nameText(name)}". All fields are combined with a logical 'AND'.`,
  fields: (table, scope) => {
    const type = booleanExpressionType(scope, table)
    const list = new GraphQLList(hasFormerTypes(scope) ? type : new GraphQLNonNull(type))
    // A column of the same name can't be compared: without its connectives the type would be of little use.
    return new Map<string, () => GraphQLInputFieldConfig>([
      ...scope.booleanFields(table),
      ['_and', () => ({ type: list, extensions: { boolean: conjunction } })],
      ['_not', () => ({ type, extensions: { boolean: negation } })],
      ['_or', () => ({ type: list, extensions: { boolean: disjunction } })],
    ])
  },
})

/** The condition of a boolean expression: the conjunction of its members. */
export function planBoolean(value: Value, context: PlanContext): Condition {
  if (isHolding(value, context.schema)) return always
  const fields = (scopeType(value) as GraphQLInputObjectType).getFields()
  const conditions: Condition[] = []
  for (const [name, member] of value.members(1)) {
    const plan = declaredField(fields, name)!.extensions.boolean
    if (!plan) throw new Error(`the field "${name}" of a boolean expression has no planner`)
    conditions.push(plan(member, context))
  }
  return allOf(conditions)
}

function scopeType(value: Value): GraphQLInputType {
  return value.type instanceof GraphQLNonNull ? value.type.ofType : value.type
}

const negation: BooleanPlanner = (value, context) => ({ kind: 'not', of: planBoolean(value, context) })
const conjunction: BooleanPlanner = (value, context) => connected('and', value, context)
const disjunction: BooleanPlanner = (value, context) => connected('or', value, context)

/** Where a null counts at all, one in the place of a list is an empty one: none of its members holds, which counts for `_or`. */
function connected(kind: 'and' | 'or', value: Value, context: PlanContext): Condition {
  const items = isHolding(value, context.schema) ? [] : value.items(1)
  const of = items.map((item) => planBoolean(item, context))
  return kind === 'and' ? allOf(of) : { kind, of }
}

/** Contribution: a comparison for each selectable column, and for others that the role may compare. */
export function columnComparisons(scope: SchemaScope, table: TableModel): InputFieldMap {
  const fields = new Map()
  for (const [name, column] of selectableColumns(scope, table)) {
    fields.set(name, () => {
      const subject = subjectOf(scope, column)
      return {
        type: comparisonType(scope, subject),
        extensions: { column: column.name, boolean: (value: Value) => planComparison(scope, subject, value) },
      }
    })
  }
  for (const seen of scope.access(table.name)?.select?.transformed.values() ?? []) {
    const { field, name: column } = seen.column
    if (field === null || !columnType(scope, seen.column)) continue
    const masked = maskedSubject(scope, seen)
    if (!masked && !isComparable(seen)) continue
    fields.set(field, () => {
      const subject = masked ?? transformedSubject(scope, seen)
      return {
        type: masked ? comparisonType(scope, masked) : equalityType(scope, subject),
        extensions: { column, boolean: (value: Value) => planComparison(scope, subject, value) },
      }
    })
  }
  return fields
}
