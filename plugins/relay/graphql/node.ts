// `node(id:)`: a row of any table by its node id.

import { type GraphQLFieldConfig, GraphQLID, GraphQLNonNull } from 'graphql'
import type { FieldSelection, PlanContext, SchemaScope } from '../../../sdk/graphql.ts'
import { pathKeys, TrellisError, validationFailed } from '../../../sdk/index.ts'
import { type ColumnModel, isUniqueBy, type TableModel } from '../../../sdk/metadata.ts'
import {
  type Condition,
  columnSql,
  comparableSql,
  comparisonSql,
  idCodec,
  join,
  type Operand,
  param,
  type RootOutput,
  sql,
} from '../../../sdk/sql.ts'
import { planMembers, type ReadingRoot, rowType, showsRootField } from '../../tables/graphql.ts'
import { elementsAs } from './elements.ts'
import { nodeIdCodec, nodeKey, parseNodeId, tableOfNodeId } from './node-id.ts'
import { nodeInterface } from './types.ts'

/** The root field `node`. */
export const nodeField = (scope: SchemaScope, root: ReadingRoot): GraphQLFieldConfig<unknown, unknown> => ({
  type: nodeInterface(scope),
  args: { id: { type: new GraphQLNonNull(GraphQLID), description: 'A globally unique id' } },
  extensions: { root: { kind: 'relational', plan: (field, context) => planNode(field, context, root) } },
})

function planNode(field: FieldSelection, context: PlanContext, root: ReadingRoot): RootOutput {
  const { schema } = context
  const { table, key } = readTable(field, context, root)
  const id = field.argument('id')!.param(nodeIdCodec(key), 'text[]', field.path)
  const rows = schema.access(table.name)!.select!.row({ where: hasKey(key, id) })
  const output = planMembers(field.fieldsOf(rowType(schema, table)), context, table)
  return { kind: 'one', unique: isUniqueBy(table.catalog, table.primaryKey!.columns), select: { rows, output } }
}

/** The table that the id names, and the columns of its key. */
function readTable(
  field: FieldSelection,
  { schema }: PlanContext,
  root: ReadingRoot,
): { readonly table: TableModel; readonly key: readonly ColumnModel[] } {
  const given = field.argument('id')!
  try {
    const id = idCodec.encode(given.jsonOf(tableOfNodeId), given.kind)
    const access = schema.access(parseNodeId(id).table)
    const isShown = access?.select && showsRootField(access.select, root, 'select_by_pk')
    const table = isShown ? access.table : undefined
    const key = table && nodeKey(schema, table)
    if (!key) throw validationFailed(`the node id is invalid: the table ${id}`)
    return { table, key }
  } catch (error) {
    throw error instanceof TrellisError ? error.at(...pathKeys(given.path)) : error
  }
}

function hasKey(key: readonly ColumnModel[], id: Operand): Condition {
  if (id.kind !== 'param') throw new Error('a node id is a parameter')
  const { source, type } = id
  return {
    kind: 'sql',
    build: (row, printer) => {
      const types = key.map((column) => column.type)
      const values = elementsAs(param(source, type), types, printer)
      const pairs = key.map((column, i) => {
        const value = comparableSql(columnSql(row, column.name), column.type)
        return sql`${value} ${comparisonSql('=', column.type)} ${values[i]!}`
      })
      return join(pairs, ' and ')
    },
  }
}
