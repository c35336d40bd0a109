// `T_aggregate` and the types below it.

import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  GraphQLFloat,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLScalarType,
} from 'graphql'
import { relatedCost } from '../../../../sdk/access.ts'
import {
  columnType,
  type FieldSelection,
  type PlanContext,
  perTable,
  type SchemaScope,
  shared,
  tableObject,
  valueType,
} from '../../../../sdk/graphql.ts'
import { nameText } from '../../../../sdk/index.ts'
import type { TableModel } from '../../../../sdk/metadata.ts'
import type { AggregateOutput } from '../../../../sdk/sql.ts'
import { planMembers, rowType, selectableColumns } from '../row-type.ts'
import { aggregateSchema, columnsOf, computedOf, isExtreme, numericAggregates, takenAs } from './aggregate-columns.ts'
import { hasFormerTypes } from './comparison.ts'
import { distinctColumn, selectColumnType } from './select-arguments.ts'

/** `T_aggregate`. */
export const aggregateType = tableObject({
  name: (table) => `${table.graphqlName}_aggregate`,
  description: ({ name }) => `aggregated selection of "${nameText(name)}"`,
  fields: (table, scope) => ({
    aggregate: { type: aggregateFieldsType(scope, table) },
    nodes: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(rowType(scope, table)))) },
  }),
})

const aggregateFieldsType = tableObject({
  name: (table) => `${table.graphqlName}_aggregate_fields`,
  description: ({ name }) => `aggregate fields of "${nameText(name)}"`,
  fields: (table, scope) => {
    const fields: GraphQLFieldConfigMap<unknown, unknown> = { count: countField(scope, table) }
    for (const [operator, { members, type }] of operators) {
      if (Object.keys(members(scope, table)).length > 0) fields[operator] = { type: type(scope, table) }
    }
    return fields
  },
})

function countField(scope: SchemaScope, table: TableModel): GraphQLFieldConfig<unknown, unknown> {
  const column = selectColumnType(scope, table)
  const columns = column && { columns: { type: new GraphQLList(new GraphQLNonNull(column)) } }
  return {
    type: hasFormerTypes(scope) ? GraphQLInt : new GraphQLNonNull(GraphQLInt),
    args: { ...columns, distinct: { type: GraphQLBoolean } },
  }
}

/** The columns and computed fields that an aggregate works on, of their own type or of another one. */
const membersFor = (operator: string, resultType: GraphQLScalarType | null) =>
  perTable((scope, table): GraphQLFieldConfigMap<unknown, unknown> => {
    const columns = [...columnsOf(scope, table, operator)].map(([name, column]) => {
      return [name, { type: resultType ?? columnType(scope, column)! }]
    })
    const computed = [...computedOf(scope, table, operator)].flatMap(([name, { type }]) => {
      const own = valueType(scope, type)
      return own ? [[name, { type: resultType ?? own }]] : []
    })
    return shared(Object.fromEntries([...columns, ...computed]))
  })

const extremeMembers = membersFor('max', null)
const sumMembers = membersFor('sum', null)
const floatMembers = membersFor('avg', GraphQLFloat)

/** The members of an operator, which it shares with others. */
function membersOf(operator: string) {
  if (isExtreme(operator)) return extremeMembers
  return operator === 'sum' ? sumMembers : floatMembers
}

function operatorOf(operator: string) {
  const members = membersOf(operator)
  const type = tableObject({
    name: (table) => `${table.graphqlName}_${operator}_fields`,
    description: () => `aggregate ${operator} on columns`,
    fields: (table, scope) => members(scope, table),
  })
  return [operator, { members, type }] as const
}

/** The operators with their members and `T_<operator>_fields`. */
const operators = [...numericAggregates, 'max', 'min'].map(operatorOf)

/** The plan of a selection on `T_aggregate`. */
export function planAggregate(field: FieldSelection, context: PlanContext, table: TableModel): AggregateOutput {
  return objectOf(field, (member) => {
    if (member.name === 'aggregate') return planAggregateFields(member, context, table)
    return { kind: 'nodes', output: planMembers(member.fields(), context, table) }
  })
}

function planAggregateFields(field: FieldSelection, context: PlanContext, table: TableModel): AggregateOutput {
  return objectOf(field, (member) => {
    if (member.name === 'count') return planCount(member, context, table)
    const operator = member.name
    const columns = columnsOf(context.schema, table, operator)
    const computed = computedOf(context.schema, table, operator)
    return objectOf(member, ({ name, path }) => {
      const column = columns.get(name)
      const made = column ? null : computed.get(name)!
      // A function of each row may read as many rows as a relationship leads to.
      if (made) context.addCost(relatedCost, path)
      const { type } = (column ?? made)!
      const given = column ? { columns: [column.name] } : { columns: [name], value: made!.value }
      const taken = takenAs(operator, { type })
      const schema = aggregateSchema(operator, { type })
      const printed = context.schema.settings.graphqlInterface === '2' && { printedAs: type }
      return { kind: 'call', call: { operator, ...given, distinct: false, takenAs: taken, schema, ...printed } }
    })
  })
}

function planCount(field: FieldSelection, context: PlanContext, table: TableModel): AggregateOutput {
  const selectable = selectableColumns(context.schema, table)
  const items = field.argument('columns')?.items(1) ?? []
  const distinct = field.argument('distinct')?.boolean() ?? false
  const named = items.map((item) =>
    distinct ? distinctColumn(item, selectable, 'a distinct count').name : selectable.get(item.enumValue())!.name,
  )
  const columns = [...new Set(named)]
  return { kind: 'call', call: { operator: 'count', columns, distinct: distinct && columns.length > 0 } }
}

/** An object whose members are planned by `plan`, `__typename` aside. */
function objectOf(field: FieldSelection, plan: (member: FieldSelection) => AggregateOutput): AggregateOutput {
  const entries = field.fields().map((member) => {
    const isTypename = member.definition === null
    const value: AggregateOutput = isTypename ? { kind: 'json', text: JSON.stringify(member.parentType) } : plan(member)
    return { key: member.responseName, value }
  })
  return { kind: 'object', entries }
}
