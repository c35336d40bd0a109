// Soft delete: rows of tables with a column `deleted_at` are hidden from everybody once a time stands there, and deleting one
// writes the time. GraphQL, permissions, relationships, aggregates and the data operations all follow. Administrators find the
// hidden rows of a table in `deleted_team(limit: 10) { id name }`, and `restore_team(id: 1) { name }` brings one back.
// `npm start -- --plugin ./examples/soft-delete.ts`

import {
  allOf,
  constantValue,
  definePlugin,
  type Engine,
  type FieldMap,
  type FieldSelection,
  fieldMap,
  graphql,
  isNull,
  type MutationPlan,
  type NarrowedTable,
  type PlanContext,
  type RootFields,
  type RootOutput,
  type SchemaScope,
  soleStep,
  type TableModel,
  updateInstead,
} from 'trellis'
import {
  fieldsOfTables,
  keyArguments,
  keyColumns,
  keyCondition,
  planRow,
  readLimit,
  rowList,
  rowType,
} from 'trellis/tables'

const column = 'deleted_at'

const isSoft = ({ table }: Pick<NarrowedTable, 'table'>) => table.columns.get(column)?.type.name === 'timestamptz'

const isHidden = { kind: 'not', of: isNull(column) } as const

/** The caller's rights on a table, hidden rows included. */
const hiddenOf = (engine: Engine, { model, role, backendOnly }: SchemaScope, table: TableModel) =>
  engine.access.of(model, { role, backendOnly }, { without: ['soft delete'] }).get(table.name)!

const deletedField = (engine: Engine, scope: SchemaScope, table: TableModel) => ({
  type: rowList(scope, table),
  description: `hidden rows of "${table.name.name}", the last one first`,
  args: { limit: { type: graphql.GraphQLInt } },
  extensions: {
    root: {
      kind: 'relational' as const,
      plan(field: FieldSelection, context: PlanContext): RootOutput {
        const limit = field.argument('limit')
        const rows = hiddenOf(engine, context.schema, table).select!.rows({
          where: isHidden,
          orderBy: [{ target: { kind: 'column', column }, direction: 'desc', nulls: 'last' }],
          limit: !limit || limit.isNull ? null : readLimit(limit),
        })
        return { kind: 'many', select: { rows, output: planRow(field, context, table) } }
      },
    },
  },
})

const restoreField = (engine: Engine, scope: SchemaScope, table: TableModel) => ({
  type: rowType(scope, table),
  description: `brings a hidden row of "${table.name.name}" back`,
  args: keyArguments(scope, keyColumns(scope, table)!),
  extensions: {
    root: {
      kind: 'mutation' as const,
      plan(field: FieldSelection, context: PlanContext): MutationPlan {
        const key = keyCondition(context.schema, keyColumns(context.schema, table)!, field.arguments)
        const change = hiddenOf(engine, context.schema, table).update!.change({
          assignments: [{ column, operator: '_set', value: constantValue(null, 'timestamptz') }],
          where: allOf([key, isHidden]),
        })
        const answer = { kind: 'row', output: planRow(field, context, table) } as const
        return { table, steps: [soleStep(change, field.path)], answer }
      },
    },
  },
})

/** Fields of the tables that have the column, for administrators. */
const trash = (scope: SchemaScope, prefix: string, fieldOf: (table: TableModel) => FieldMap): RootFields =>
  fieldsOfTables(
    scope,
    (table) => (scope.role === 'admin' && isSoft({ table }) ? fieldOf(table) : fieldMap({})),
    (name) => [name.slice(prefix.length)],
  )

export default definePlugin({
  name: 'soft-delete',
  dependencies: ['tables', 'graphql'],
  register(engine) {
    engine.access.narrow({
      name: 'soft delete',
      rows: (place) => (isSoft(place) ? isNull(column) : null),
      change(change, place) {
        if (change.kind !== 'delete' || !isSoft(place)) return change
        return updateInstead(change, [{ column, value: constantValue('now', 'timestamptz') }])
      },
    })
    engine.graphql.contribute({
      name: 'trash',
      schemas: ['standard'],
      query: (scope) =>
        trash(scope, 'deleted_', (table) =>
          fieldMap({ [`deleted_${table.graphqlName}`]: () => deletedField(engine, scope, table) }),
        ),
      mutation: (scope) =>
        trash(scope, 'restore_', (table) => {
          const isShown = table.catalog.updatable && keyColumns(scope, table)
          return fieldMap(isShown ? { [`restore_${table.graphqlName}`]: () => restoreField(engine, scope, table) } : {})
        }),
    })
  },
})
