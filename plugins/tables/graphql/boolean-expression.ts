// `T_bool_exp` and the comparison types of its columns: conditions on rows (graphql-api 6).

import {
  GraphQLBoolean,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from 'graphql'
import { builtInType } from '../../../core/catalog/types.ts'
import { codecFor, stringCodec } from '../../../core/compiler/codecs.ts'
import {
  type ComparisonOperator,
  compareWithParam,
  operandType,
  operatorsFor,
} from '../../../core/compiler/operators.ts'
import { allOf, type Condition, type Operand } from '../../../core/compiler/plan.ts'
import type { InputFieldMap, SchemaScope } from '../../../core/graphql/contribution.ts'
import type { PlanContext } from '../../../core/graphql/plan-context.ts'
import { columnCodec, columnType, scalarType } from '../../../core/graphql/scalars.ts'
import type { Value } from '../../../core/graphql/values.ts'
import type { ColumnModel, TableModel } from '../../../core/metadata/model.ts'
import { nameText } from '../../../core/names.ts'
import { selectableColumns } from './row-type.ts'

/** `T_bool_exp`. */
export function booleanExpressionType(scope: SchemaScope, table: TableModel): GraphQLInputObjectType {
  const name = `${table.graphqlName}_bool_exp`
  return scope.type(name, () => {
    const type: GraphQLInputObjectType = new GraphQLInputObjectType({
      name,
      description: `Boolean expression to filter rows from the table "${nameText(table.name)}". All fields are combined with a logical 'AND'.`,
      fields: () => {
        const list = new GraphQLList(new GraphQLNonNull(type))
        const connectives: Record<string, GraphQLInputFieldConfig> = {
          _and: { type: list, extensions: { boolean: (value, context) => connected('and', value, context) } },
          _not: {
            type,
            extensions: { boolean: (value, context) => ({ kind: 'not', of: planBoolean(value, context) }) },
          },
          _or: { type: list, extensions: { boolean: (value, context) => connected('or', value, context) } },
        }
        const members = [...scope.booleanFields(table)].map(([field, make]) => [field, make()] as const)
        return { ...connectives, ...Object.fromEntries(members) }
      },
    })
    return type
  })
}

/** The condition of a boolean expression: the conjunction of its members. */
export function planBoolean(value: Value, context: PlanContext): Condition {
  const fields = (scopeType(value) as GraphQLInputObjectType).getFields()
  const conditions: Condition[] = []
  for (const [name, member] of value.members()) {
    if (member.isNull && nullsHold(context.schema)) continue
    const plan = fields[name]!.extensions.boolean
    if (!plan) throw new Error(`the field "${name}" of a boolean expression has no planner`)
    conditions.push(plan(member, context))
  }
  return allOf(conditions)
}

/** Whether a null part of an expression counts as true; to refuse it is safer, since it widens the filter. */
const nullsHold = ({ dialect, settings }: SchemaScope): boolean => dialect.nullsHold || settings.v1BooleanNullCollapse

function scopeType(value: Value): GraphQLInputType {
  return value.type instanceof GraphQLNonNull ? value.type.ofType : value.type
}

function connected(kind: 'and' | 'or', value: Value, context: PlanContext): Condition {
  const of = value.items().map((item) => planBoolean(item, context))
  return kind === 'and' ? allOf(of) : { kind, of }
}

/** Contribution: a comparison for each selectable column. */
export function columnComparisons(scope: SchemaScope, table: TableModel): InputFieldMap {
  const fields = new Map()
  for (const [name, column] of selectableColumns(scope, table)) {
    fields.set(name, () => ({
      type: comparisonType(scope, column),
      extensions: {
        column: column.name,
        boolean: (value: Value) => planComparison(scope, column, value),
      },
    }))
  }
  return fields
}

function comparisonType(scope: SchemaScope, column: ColumnModel): GraphQLInputObjectType {
  const valueType = columnType(scope, column)!
  const name = `${valueType.name}_comparison_exp`
  return scope.type(name, () => {
    return new GraphQLInputObjectType({
      name,
      description: `Boolean expression to compare columns of type "${valueType.name}". All fields are combined with logical 'AND'.`,
      fields: () => {
        const operators = operatorsFor(column.type, { enumTable: column.enumTable !== null })
        return Object.fromEntries(
          operators.map((operator) => [
            operator.name,
            { type: operandGraphQLType(scope, operator, valueType), description: operator.description },
          ]),
        )
      },
    })
  })
}

function operandGraphQLType(
  scope: SchemaScope,
  operator: ComparisonOperator,
  scalar: NonNullable<ReturnType<typeof columnType>>,
): GraphQLInputType {
  switch (operator.operand) {
    case 'scalar':
      return scalar
    case 'list':
      return new GraphQLList(new GraphQLNonNull(scalar))
    case 'boolean':
      return GraphQLBoolean
    case 'text':
      return GraphQLString
    case 'texts':
      return new GraphQLList(new GraphQLNonNull(GraphQLString))
    case 'jsonb':
      return scalarType(scope, builtInType('jsonb'))!
  }
}

function planComparison(scope: SchemaScope, column: ColumnModel, value: Value): Condition {
  const operators = new Map(operatorsFor(column.type, { enumTable: column.enumTable !== null }).map((o) => [o.name, o]))
  const given = [...value.members()].filter(([, operand]) => !operand.isNull || !nullsHold(scope))
  const conditions = given.map(([name, operand]) => {
    return compare(scope, column, operators.get(name)!, operand)
  })
  return allOf(conditions)
}

function compare(scope: SchemaScope, column: ColumnModel, operator: ComparisonOperator, value: Value): Condition {
  if (operator.operand === 'boolean') {
    if (value.isNull) throw value.mismatch('a boolean')
    return { kind: 'null', column: column.name, negated: !value.boolean() }
  }
  const operand = operandOf(scope, column, operator, value)
  return compareWithParam(column, operator, operand.source)
}

type ParamOperand = Extract<Operand, { kind: 'param' }>

function operandOf(scope: SchemaScope, column: ColumnModel, operator: ComparisonOperator, value: Value): ParamOperand {
  const type = operandType(operator, column.type)
  switch (operator.operand) {
    case 'list':
      return value.listParam(columnCodec(scope, column), column.type.sql) as ParamOperand
    case 'texts':
      return value.listParam(stringCodec, 'text') as ParamOperand
    case 'text':
      return value.param(stringCodec, type) as ParamOperand
    case 'jsonb':
      if (value.isNull) throw value.nullError()
      return value.param(codecFor(builtInType('jsonb')), type) as ParamOperand
    default:
      if (value.isNull) throw value.nullError()
      return value.param(columnCodec(scope, column), type) as ParamOperand
  }
}
