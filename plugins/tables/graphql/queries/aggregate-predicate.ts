// `T_aggregate_bool_exp`: conditions on aggregates of related rows, as far as the role may see these rows.

import {
  GraphQLBoolean,
  type GraphQLEnumType,
  type GraphQLInputFieldConfig,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql'
import { relatedCost, type SelectAccess } from '../../../../sdk/access.ts'
import { type PlanContext, type SchemaScope, tableEnum, tableInput, type Value } from '../../../../sdk/graphql.ts'
import { isEnumValueName, nameText } from '../../../../sdk/index.ts'
import { builtInType, type ColumnModel, type TableModel } from '../../../../sdk/metadata.ts'
import { allOf, always, type Condition, type Mapping, sql } from '../../../../sdk/sql.ts'
import { valuesNamed } from '../column-members.ts'
import { selectableColumns } from '../row-type.ts'
import { booleanExpressionType, planBoolean } from './boolean-expression.ts'
import {
  type ComparableAggregate,
  comparableAggregates,
  compareAggregate,
  comparedType,
  comparedValue,
  isComparedBy,
  pairArguments,
} from './compared-aggregate.ts'
import { valueComparison } from './comparison.ts'
import { distinctColumn, selectColumnType } from './select-arguments.ts'

const [dependent, independent] = pairArguments

/** The GraphQL names of the selectable columns that an aggregate takes. */
function columnsFor(scope: SchemaScope, table: TableModel, aggregate: ComparableAggregate): readonly string[] {
  const names: string[] = []
  for (const [name, column] of selectableColumns(scope, table)) {
    if (isComparedBy(aggregate, column) && isEnumValueName(name)) names.push(name)
  }
  return names
}

/** `T_aggregate_bool_exp` of a table whose rows the role may aggregate. */
export const aggregatePredicateType = tableInput({
  name: (table) => `${table.graphqlName}_aggregate_bool_exp`,
  description: ({ name }) => `Boolean expression to filter rows by aggregates of rows from "${nameText(name)}".`,
  fields: (table, scope) => {
    const fields: Record<string, GraphQLInputFieldConfig> = {}
    for (const { aggregate, type } of comparedTypes) {
      if (columnsFor(scope, table, aggregate).length > 0) fields[aggregate.name] = { type: type(scope, table) }
    }
    fields['count'] = { type: countType(scope, table) }
    return fields
  },
})

interface Operator {
  readonly name: string
  readonly columns: string
  readonly arguments: (scope: SchemaScope, table: TableModel) => GraphQLInputType | null
}

/** `T_aggregate_bool_exp_<aggregate>`. */
const operatorType = (operator: Operator) =>
  tableInput({
    name: (table) => predicateName(table, operator),
    fields: (table, scope) => {
      const type = operator.arguments(scope, table)
      return {
        ...(type && { arguments: { type } }),
        distinct: { type: GraphQLBoolean },
        filter: { type: booleanExpressionType(scope, table) },
        predicate: { type: new GraphQLNonNull(predicateType(scope, operator)) },
      }
    },
  })

const predicateName = ({ graphqlName }: TableModel, { name }: Pick<Operator, 'name'>): string =>
  `${graphqlName}_aggregate_bool_exp_${name}`

const countType = operatorType({
  name: 'count',
  columns: 'int4',
  arguments: (scope, table) => {
    const column = selectColumnType(scope, table)
    return column && new GraphQLList(new GraphQLNonNull(column))
  },
})

const comparedTypes = comparableAggregates.map((aggregate) => {
  const argument = argumentType(aggregate)
  const type = operatorType({ ...aggregate, arguments: (scope, table) => new GraphQLNonNull(argument(scope, table)) })
  return { aggregate, type }
})

const predicateType = (scope: SchemaScope, { name, columns }: Operator): GraphQLInputObjectType =>
  valueComparison(scope, { name, type: builtInType(columns), value: () => sql`null` }).type

/** The enum of the columns that an aggregate takes, or an object of two of them. */
function argumentType(
  aggregate: ComparableAggregate,
): (scope: SchemaScope, table: TableModel) => GraphQLEnumType | GraphQLInputObjectType {
  const column = tableEnum({
    name: (table) => `${table.graphqlName}_select_column_${predicateName(table, aggregate)}_arguments_columns`,
    description: ({ name }) => `select columns of table "${nameText(name)}" for "${aggregate.name}"`,
    values: (table, scope) => valuesNamed(columnsFor(scope, table, aggregate)),
  })
  if (!aggregate.isOfTwo) return column
  return tableInput({
    name: (table) => `${predicateName(table, aggregate)}_arguments`,
    fields: (table, scope) => {
      const type = new GraphQLNonNull(column(scope, table))
      return { [independent]: { type }, [dependent]: { type } }
    },
  })
}

/** The rows that conditions aggregate. */
export interface AggregatedRows {
  readonly table: TableModel
  readonly rows: SelectAccess
  readonly mapping: Mapping
}

/** The condition that a `T_aggregate_bool_exp` puts on the row that the aggregated rows are related to. */
export function planAggregatePredicate(value: Value, context: PlanContext, related: AggregatedRows): Condition {
  const conditions = [...value.members(1)].map(([name, member]) => {
    if (member.isNull) throw member.mismatch('an object')
    return planOperator(name, member, context, related)
  })
  return allOf(conditions)
}

function planOperator(name: string, value: Value, context: PlanContext, related: AggregatedRows): Condition {
  const { schema } = context
  const { table, rows, mapping } = related
  context.addCost(relatedCost, value.path)
  const members = value.members()
  const given = (key: string): Value | undefined => (members.get(key)?.isNull ? undefined : members.get(key))
  const aggregate = comparableAggregates.find((each) => each.name === name) ?? null
  const isDistinct = given('distinct')?.boolean() ?? false
  const selected = given('arguments')
  const columns = aggregate
    ? argumentColumns(selected!, selectableColumns(schema, table), aggregate)
    : countedColumns(selected, selectableColumns(schema, table), isDistinct)
  const filter = given('filter')
  const where = filter ? planBoolean(filter, context) : always
  const subject = { name, type: comparedType(aggregate), value: comparedValue }
  const holds = valueComparison(schema, subject).plan(members.get('predicate')!)
  return compareAggregate({ rows, mapping, where }, { aggregate, columns, isDistinct, holds })
}

function argumentColumns(
  value: Value,
  columns: ReadonlyMap<string, ColumnModel>,
  { isOfTwo }: ComparableAggregate,
): readonly string[] {
  const name = (each: Value) => columns.get(each.enumValue())!.name
  if (!isOfTwo) return [name(value)]
  const members = value.members()
  return [name(members.get(dependent)!), name(members.get(independent)!)]
}

function countedColumns(
  value: Value | undefined,
  columns: ReadonlyMap<string, ColumnModel>,
  isDistinct: boolean,
): readonly string[] {
  const items = value?.items(1) ?? []
  const named = items.map((item) => {
    return isDistinct ? distinctColumn(item, columns, 'a distinct count').name : columns.get(item.enumValue())!.name
  })
  return [...new Set(named)]
}
