// `T`, `T_by_pk` and `T_aggregate` on the query and subscription roots.

import { type GraphQLFieldConfig, GraphQLList, GraphQLNonNull } from 'graphql'
import type { SelectAccess } from '../../../../sdk/access.ts'
import {
  columnCodec,
  columnType,
  type FieldArguments,
  type FieldMap,
  type FieldSelection,
  type PlanContext,
  perTable,
  type RootFields,
  type SchemaScope,
  type Value,
} from '../../../../sdk/graphql.ts'
import { nameText } from '../../../../sdk/index.ts'
import {
  type ColumnModel,
  isUniqueBy,
  type LaterRootFieldKey,
  type RootFieldKey,
  type TableModel,
} from '../../../../sdk/metadata.ts'
import { allOf, type Condition, compare, type RootOutput } from '../../../../sdk/sql.ts'
import { fieldsOfTables, TableRootFields } from '../root-fields.ts'
import { planRow, rowType, selectableColumns } from '../row-type.ts'
import { aggregateType, planAggregate } from './aggregate.ts'
import { planRows, selectArguments } from './select-arguments.ts'

type Field = GraphQLFieldConfig<unknown, unknown>

/** The roots that rows are read from. */
export type ReadingRoot = 'query' | 'subscription'

/** Contribution: the select fields of every table that the role may select from, on one of the roots. */
export const tableQueryFields =
  (root: ReadingRoot) =>
  (scope: SchemaScope): RootFields =>
    fieldsOfTables(scope, (table) => queryFieldsOf(scope, table, root))

function queryFieldsOf(scope: SchemaScope, table: TableModel, root: ReadingRoot): FieldMap {
  const fields = new TableRootFields(scope, table)
  const select = scope.access(table.name)?.select
  if (!select) return fields.fields
  const isShown = (key: RootFieldKey) => showsRootField(select, root, key)
  if (isShown('select')) fields.add('select', selectField)
  if (isShown('select_by_pk') && keyColumns(scope, table)) fields.add('select_by_pk', byKeyField)
  if (isShown('select_aggregate') && select.allowAggregations) fields.add('select_aggregate', aggregateField)
  return fields.fields
}

/** Whether a role sees a root field of a table that it may select from. */
export const showsRootField = (
  { rootFields }: Pick<SelectAccess, 'rootFields'>,
  root: ReadingRoot,
  key: RootFieldKey | LaterRootFieldKey,
): boolean => {
  const shown: ReadonlySet<string> | undefined = rootFields?.[root]
  return shown?.has(key) ?? true
}

/** The primary key's columns by GraphQL name, in key order; null when there is no key, or the role may not select all of it. */
export const keyColumns = perTable((scope, table): ReadonlyMap<string, ColumnModel> | null => {
  if (!table.primaryKey) return null
  const selectable = new Map([...selectableColumns(scope, table).values()].map((column) => [column.name, column]))
  const columns = new Map<string, ColumnModel>()
  for (const name of table.primaryKey.columns) {
    const column = selectable.get(name)
    if (!column?.field) return null
    columns.set(column.field, column)
  }
  return columns
})

/** One required argument for each column of the key. */
export function keyArguments(scope: SchemaScope, columns: ReadonlyMap<string, ColumnModel>): FieldArguments {
  const entries = [...columns].map(([name, column]) => {
    return [name, { type: new GraphQLNonNull(columnType(scope, column)!), description: column.comment }]
  })
  return Object.fromEntries(entries)
}

/** The condition that the key's columns have the values given under their GraphQL names. */
export function keyCondition(
  scope: SchemaScope,
  columns: ReadonlyMap<string, ColumnModel>,
  values: ReadonlyMap<string, Value>,
): Condition {
  const conditions = [...columns].map(([name, column]): Condition => {
    const operand = values.get(name)!.param(columnCodec(scope, column), column.type.sql)
    return compare(column, '_eq', operand)
  })
  return allOf(conditions)
}

/** `[T!]!` */
export const rowList = (scope: SchemaScope, table: TableModel) =>
  new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(rowType(scope, table))))

function selectField(scope: SchemaScope, table: TableModel): Field {
  return {
    type: rowList(scope, table),
    description: `fetch data from the table: "${nameText(table.name)}"`,
    args: selectArguments(scope, table),
    extensions: {
      root: {
        kind: 'relational',
        plan: (field, context) => {
          const rows = planRows(field, context, table)
          return { kind: 'many', select: { rows, output: planRow(field, context, table) } }
        },
      },
    },
  }
}

function byKeyField(scope: SchemaScope, table: TableModel): Field {
  const columns = keyColumns(scope, table)!
  return {
    type: rowType(scope, table),
    description: `fetch data from the table: "${nameText(table.name)}" using primary key columns`,
    args: keyArguments(scope, columns),
    extensions: {
      root: { kind: 'relational', plan: (field, context) => planByKey(field, context, table, columns) },
    },
  }
}

function planByKey(
  field: FieldSelection,
  context: PlanContext,
  table: TableModel,
  columns: ReadonlyMap<string, ColumnModel>,
): RootOutput {
  const { schema } = context
  const where = keyCondition(schema, columns, field.arguments)
  const rows = schema.access(table.name)!.select!.row({ where })
  return {
    kind: 'one',
    unique: isUniqueBy(table.catalog, table.primaryKey!.columns),
    select: { rows, output: planRow(field, context, table) },
  }
}

function aggregateField(scope: SchemaScope, table: TableModel): Field {
  return {
    type: new GraphQLNonNull(aggregateType(scope, table)),
    description: `fetch aggregated fields from the table: "${nameText(table.name)}"`,
    args: selectArguments(scope, table),
    extensions: {
      root: {
        kind: 'relational',
        plan: (field, context) => {
          const rows = planRows(field, context, table)
          return { kind: 'aggregate', select: { rows, output: planAggregate(field, context, table) } }
        },
      },
    },
  }
}
