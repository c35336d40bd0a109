// Tables with a column `last_seen` get a list of the rows that were seen last, and a mutation that marks a row as seen.

import {
  always,
  constantValue,
  definePlugin,
  type FieldMap,
  fieldMap,
  graphql,
  type MutationPlan,
  type RootFields,
  type RootOutput,
  type RootPlanner,
  type SchemaScope,
  soleStep,
  type TableModel,
} from 'trellis'
import {
  booleanExpressionType,
  fieldsOfTables,
  keyArguments,
  keyColumns,
  keyCondition,
  planBoolean,
  planRow,
  readLimit,
  rowList,
  rowType,
} from 'trellis/tables'

const { GraphQLInt } = graphql

/** `seen_ship`: rows, those that were seen last before others. */
const seenField = (scope: SchemaScope, table: TableModel) => {
  const root: RootPlanner = {
    kind: 'relational',
    plan(field, context): RootOutput {
      const { select } = context.schema.access(table.name)!
      const where = field.argument('where')
      const rows = select!.rows({
        where: where ? planBoolean(where, context) : always,
        orderBy: [{ target: { kind: 'column', column: 'last_seen' }, direction: 'desc', nulls: 'last' }],
        limit: readLimit(field.argument('limit')),
      })
      return { kind: 'many', select: { rows, output: planRow(field, context, table) } }
    },
  }
  const args = {
    where: { type: booleanExpressionType(scope, table) },
    limit: { type: GraphQLInt, default: { value: 10 } },
  }
  return { type: rowList(scope, table), args, extensions: { root } }
}

/** `see_ship(id)`: the row with the time of now, for roles that may update it. */
const seeField = (scope: SchemaScope, table: TableModel) => {
  const key = keyColumns(scope, table)!
  const root: RootPlanner = {
    kind: 'mutation',
    plan(field, context): MutationPlan {
      const change = context.schema.access(table.name)!.update!.change({
        assignments: [{ column: 'last_seen', operator: '_set', value: constantValue('now', 'timestamptz') }],
        where: keyCondition(context.schema, key, field.arguments),
      })
      const answer = { kind: 'row', output: planRow(field, context, table) } as const
      return { table, steps: [soleStep(change, field.path)], answer }
    },
  }
  return { type: rowType(scope, table), args: keyArguments(scope, key), extensions: { root } }
}

/** The GraphQL names of tables that the name of a field may be made of. */
const basesOf = (name: string) => [name.replace(/^seen?_/, '')]

const queryFields = (scope: SchemaScope): RootFields => {
  const fieldsOf = (table: TableModel): FieldMap => {
    const isShown = table.columns.has('last_seen') && scope.access(table.name)?.select
    return fieldMap(isShown ? { [`seen_${table.graphqlName}`]: () => seenField(scope, table) } : {})
  }
  return fieldsOfTables(scope, fieldsOf, basesOf)
}

const mutationFields = (scope: SchemaScope): RootFields => {
  const fieldsOf = (table: TableModel): FieldMap => {
    const access = scope.access(table.name)
    const isShown = access?.update?.columns.has('last_seen') && access.select && keyColumns(scope, table)
    return fieldMap(isShown ? { [`see_${table.graphqlName}`]: () => seeField(scope, table) } : {})
  }
  return fieldsOfTables(scope, fieldsOf, basesOf)
}

export default definePlugin({
  name: 'sightings',
  dependencies: ['tables', 'graphql'],
  register(engine) {
    engine.graphql.contribute({
      name: 'sightings',
      schemas: ['standard'],
      query: queryFields,
      subscription: queryFields,
      mutation: mutationFields,
    })
  },
})
