// The field `T_stream` of the subscription root: its arguments and its plan.

import {
  type Contribution,
  columnCodec,
  type FieldSelection,
  graphql,
  type PlanContext,
  type SchemaScope,
  tableInput,
  type Value,
} from '../../sdk/graphql.ts'
import { nameText, pathKeys, validationFailed } from '../../sdk/index.ts'
import { basesWithin, type ColumnModel, customRootField, isUniqueBy, type TableModel } from '../../sdk/metadata.ts'
import { allOf, isOrdered, type RootOutput } from '../../sdk/sql.ts'
import {
  booleanExpressionType,
  columnInputs,
  fieldsOfTables,
  planBoolean,
  planRow,
  readLimit,
  rowList,
  selectableColumns,
  showsRootField,
} from '../tables/graphql.ts'
import { batchSql, behindPosition, positionColumns, type StreamOrder, streamOrder } from './batch-sql.ts'

const { GraphQLEnumType, GraphQLInt, GraphQLList, GraphQLNonNull } = graphql

const suffix = '_stream'

/** A stream field for every table that the role may select from. */
export const streamContribution: Contribution = {
  name: 'streams of tables',
  isOfSource: true,
  schemas: ['standard'],
  subscription: (scope) =>
    fieldsOfTables(
      scope,
      (table) => streamsOf(scope, table),
      (name) => basesWithin(name, ['', suffix]),
    ),
}

function streamsOf(scope: SchemaScope, table: TableModel) {
  const fields = new Map<string, () => graphql.GraphQLFieldConfig<unknown, unknown>>()
  const select = scope.access(table.name)?.select
  if (!select || !showsRootField(select, 'subscription', 'select_stream')) return fields
  if (cursorColumns(scope, table).size === 0) return fields
  const { name = scope.withSuffix(table.graphqlName!, suffix), comment } = customRootField(
    table.configuration,
    'select_stream',
  )
  fields.set(name, () => ({
    ...streamField(scope, table),
    ...(comment !== undefined && { description: comment || null }),
  }))
  return fields
}

/** The ordered columns that the role may select, by GraphQL name. */
function cursorColumns(scope: SchemaScope, table: TableModel): ReadonlyMap<string, ColumnModel> {
  const columns = selectableColumns(scope, table)
  const isPosition = ({ type }: ColumnModel) => isOrdered(type)
  // Types of the same map share their members.
  if ([...columns.values()].every(isPosition)) return columns
  return new Map([...columns].filter(([, column]) => isPosition(column)))
}

function streamField(scope: SchemaScope, table: TableModel): graphql.GraphQLFieldConfig<unknown, unknown> {
  return {
    type: rowList(scope, table),
    description: `fetch data from the table in a streaming manner: "${nameText(table.name)}"`,
    args: {
      batch_size: {
        type: new GraphQLNonNull(GraphQLInt),
        description: 'maximum number of rows returned in a single batch',
      },
      cursor: {
        type: new GraphQLNonNull(new GraphQLList(cursorType(scope, table))),
        description: 'cursor to stream the results returned by the query',
      },
      where: { type: booleanExpressionType(scope, table), description: 'filter the rows returned' },
    },
    extensions: {
      root: { kind: 'relational', isSole: true, plan: (field, context) => planStream(field, context, table) },
    },
  }
}

const cursorType = tableInput({
  name: (table) => `${table.graphqlName}_stream_cursor_input`,
  description: (table) => `Streaming cursor of the table "${table.graphqlName}"`,
  fields: (table, scope) => ({
    initial_value: {
      type: new GraphQLNonNull(cursorValueType(scope, table)),
      description: 'Stream column input with initial value',
    },
    ordering: { type: orderingType(scope), description: 'cursor ordering' },
  }),
})

const cursorValueType = tableInput({
  name: (table) => `${table.graphqlName}_stream_cursor_value_input`,
  description: () => 'Initial value of the column from where the streaming should start',
  fields: (table, scope) => columnInputs(scope, cursorColumns(scope, table)),
})

const orderingType = (scope: SchemaScope): graphql.GraphQLEnumType =>
  scope.generatedType('cursor_ordering', () => {
    const values = {
      ASC: { description: 'ascending ordering of the cursor' },
      DESC: { description: 'descending ordering of the cursor' },
    }
    return new GraphQLEnumType({ name: 'cursor_ordering', description: 'ordering argument of a cursor', values })
  })

function planStream(field: FieldSelection, context: PlanContext, table: TableModel): RootOutput {
  const where = field.argument('where')
  const batchSize = field.arguments.get('batch_size')!
  const size = readLimit(batchSize)
  if (!size) throw batchSize.fail('expected a positive batch size')
  const order = planCursor(field.arguments.get('cursor')!, context, table)
  const select = context.schema.access(table.name)!.select!
  const columns = positionColumns(table, order)
  const conditions = [behindPosition(columns, order), ...(where ? [planBoolean(where, context)] : [])]
  const rows = select.rows({ where: allOf(conditions), orderBy: streamOrder(columns, order) })
  const output = planRow(field, context, table)
  const batch = {
    rows,
    output,
    columns,
    size,
    isKeyed: table.primaryKey !== null && isUniqueBy(table.catalog, table.primaryKey.columns),
    direction: order.direction,
  }
  return { kind: 'sql', build: (_row, printer) => batchSql(batch, printer), reads: { rows, output } }
}

/** Reads the single cursor. */
function planCursor(cursor: Value, context: PlanContext, table: TableModel): StreamOrder {
  const members = soleItem(cursor.items(), cursor).members()
  const initial = members.get('initial_value')!
  const ordering = members.get('ordering')
  const [name, value] = soleItem([...initial.members()], initial)
  const column = cursorColumns(context.schema, table).get(name)!
  const from = value.isNull ? null : value.param(columnCodec(context.schema, column), column.type.sql)
  const direction = ordering && !ordering.isNull && ordering.enumValue() === 'DESC' ? 'desc' : 'asc'
  return { column, from, direction }
}

function soleItem<T>(items: readonly T[], { path }: Value): T {
  if (items.length === 1) return items[0]!
  const message =
    items.length === 0 ? 'one streaming column field is expected' : 'multiple column cursors are not supported yet'
  throw validationFailed(message, pathKeys(path))
}
