// `T_aggregate` and the types below it.

import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  GraphQLFloat,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
} from 'graphql'
import { columnType, type FieldSelection, type PlanContext, type SchemaScope } from '../../../../sdk/graphql.ts'
import { nameText } from '../../../../sdk/index.ts'
import type { ColumnModel, TableModel } from '../../../../sdk/metadata.ts'
import type { AggregateOutput } from '../../../../sdk/sql.ts'
import { planMembers, rowType, selectableColumns } from '../row-type.ts'
import { aggregateSchema, columnsOf, numericAggregates, takenAs } from './aggregate-columns.ts'
import { distinctColumn, selectColumnType } from './select-arguments.ts'

/** `T_aggregate`. */
export function aggregateType(scope: SchemaScope, table: TableModel): GraphQLObjectType {
  const name = `${table.graphqlName}_aggregate`
  return scope.tableType(table, name, () => {
    return new GraphQLObjectType({
      name,
      description: `aggregated selection of "${nameText(table.name)}"`,
      fields: () => ({
        aggregate: { type: aggregateFieldsType(scope, table) },
        nodes: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(rowType(scope, table)))) },
      }),
    })
  })
}

function aggregateFieldsType(scope: SchemaScope, table: TableModel): GraphQLObjectType {
  const name = `${table.graphqlName}_aggregate_fields`
  return scope.tableType(table, name, () => {
    return new GraphQLObjectType({
      name,
      description: `aggregate fields of "${nameText(table.name)}"`,
      fields: () => {
        const fields: GraphQLFieldConfigMap<unknown, unknown> = { count: countField(scope, table) }
        for (const operator of [...numericAggregates, 'max', 'min']) {
          const columns = columnsOf(scope, table, operator)
          if (columns.size > 0) fields[operator] = { type: operatorFieldsType(scope, table, operator, columns) }
        }
        return fields
      },
    })
  })
}

function countField(scope: SchemaScope, table: TableModel): GraphQLFieldConfig<unknown, unknown> {
  const column = selectColumnType(scope, table)
  const columns = column && { columns: { type: new GraphQLList(new GraphQLNonNull(column)) } }
  return {
    type: scope.dialect.lenientSchema ? GraphQLInt : new GraphQLNonNull(GraphQLInt),
    args: { ...columns, distinct: { type: GraphQLBoolean } },
  }
}

function operatorFieldsType(
  scope: SchemaScope,
  table: TableModel,
  operator: string,
  columns: ReadonlyMap<string, ColumnModel>,
): GraphQLObjectType {
  const name = `${table.graphqlName}_${operator}_fields`
  const keepsType = operator === 'sum' || operator === 'max' || operator === 'min'
  return scope.tableType(table, name, () => {
    return new GraphQLObjectType({
      name,
      description: `aggregate ${operator} on columns`,
      fields: () => {
        const members = [...columns].map(([field, column]) => {
          return [field, { type: keepsType ? columnType(scope, column)! : GraphQLFloat }]
        })
        return Object.fromEntries(members)
      },
    })
  })
}

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
    return objectOf(member, ({ name }) => {
      const column = columns.get(name)!
      const taken = takenAs(operator, column)
      const schema = aggregateSchema(operator, column)
      return { kind: 'call', call: { operator, columns: [column.name], distinct: false, takenAs: taken, schema } }
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
