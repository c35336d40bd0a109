// `browse_rows`: rows a page at a time, with long values cut, as a grid shows them.

import { badRequest, type Static, Type, within } from '../../sdk/index.ts'
import { type ColumnModel, ColumnName, type OperationContext, operation, TableName } from '../../sdk/metadata.ts'
import { id, integer, manyQuery, type Output, Printer, sql } from '../../sdk/sql.ts'
import { Expression } from '../permissions/schema.ts'
import { type CountAsked, countRowsOf, ExactWithin } from './browse-count.ts'
import { afterCursor, cursorOf, cursorOutput, type OrderedColumn } from './browse-cursor.ts'
import type { Caller, ReadableTable } from './caller.ts'
import { callerOf, type DataOptions, printerOptions } from './calling.ts'
import { readableColumns } from './columns.ts'
import { planOrder } from './order-by.ts'
import { readTransformed, textOf } from './read-transformed.ts'
import { runStatement } from './run.ts'
import { OrderBy, type OrderTerm } from './schema.ts'
import { columnOutput } from './select.ts'
import { longestPreview, mostBrowsed, mostOrderedBy, mostPageCharacters } from './tuning.ts'

const rowsByDefault = 100
const previewByDefault = 2048

const Args = Type.Object(
  {
    table: TableName,
    columns: Type.Optional(Type.Array(ColumnName, { maxItems: 1600 })),
    where: Type.Optional(Expression),
    order_by: Type.Optional(OrderBy),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: mostBrowsed })),
    /** The `next` of the page before. */
    after: Type.Optional(Type.String()),
    /** Characters after which a value is cut, or fewer for a page of many cells. */
    preview_bytes: Type.Optional(Type.Integer({ minimum: 0, maximum: longestPreview })),
    count: Type.Optional(Type.Union([Type.Literal('none'), Type.Literal('estimate'), ExactWithin])),
  },
  { missingKey: 'A' },
)

const Cut = Type.Object({ row: Type.Integer(), column: Type.String(), bytes: Type.Integer() })

const Page = Type.Object(
  {
    columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
    key: Type.Union([Type.Array(Type.String()), Type.Null()]),
    rows: Type.Array(Type.Array(Type.Union([Type.String(), Type.Null()]))),
    truncated: Type.Array(Cut),
    next: Type.Union([Type.String(), Type.Null()]),
    count: Type.Optional(Type.Union([Type.Object({ value: Type.Integer(), is_exact: Type.Boolean() }), Type.Null()])),
  },
  { title: 'RowsPage' },
)

/**
 * JSON of a cell: its text, or `[the beginning, bytes]` if it is longer than a preview. Characters of a long value are not
 * counted, because that would read all of it.
 */
const cellOutput = ({ name }: ColumnModel, longest: number): Output => ({
  kind: 'sql',
  build: (row) => sql`coalesce((select case when octet_length("v") > octet_length(left("v", ${integer(longest)}))
    then json_build_array(left("v", ${integer(longest)}), octet_length("v"))::text else to_json("v")::text end
    from (select ${row}.${id(name)}::text as "v" offset 0) as "cell"), 'null')`,
})

/** The key that identifies rows, if the caller may read all of it. */
function keyOf({ table, select }: ReadableTable): readonly string[] | null {
  const keys = [table.primaryKey, ...table.catalog.uniqueConstraints]
  const isUsable = (columns: readonly string[]) =>
    columns.every((name) => select.columns.has(name) && !select.transformed.has(name))
  const found = keys.find((key, i) => {
    const isNeverNull = i === 0 || key?.columns.every((name) => table.columns.get(name)?.nullable === false)
    return key && isNeverNull && isUsable(key.columns)
  })
  return found?.columns ?? null
}

/** The whole order: the terms that were asked for, then the key. Refuses orders that pages cannot follow. */
function orderOf(
  terms: readonly OrderTerm[],
  key: readonly string[] | null,
  table: ReadableTable,
): OrderedColumn[] | null {
  if (key === null) return null
  const named = terms.map(({ path, direction, nulls }, i) => {
    const column = path.length === 1 ? table.table.columns.get(path[0]!) : undefined
    if (column) return { column, direction, nulls }
    throw badRequest('not-supported', 'rows are browsed in the order of columns of the table itself', {
      path: ['order_by', i],
    })
  })
  const byColumn = key.map((name) => ({ column: table.table.columns.get(name)!, ...byKey }))
  const order = new Map<string, OrderedColumn>()
  // A column that was named before orders nothing more.
  for (const each of [...named, ...byColumn]) if (!order.has(each.column.name)) order.set(each.column.name, each)
  if (order.size <= mostOrderedBy) return [...order.values()]
  throw badRequest(
    'not-supported',
    `rows are browsed in the order of at most ${mostOrderedBy} columns, with their key`,
    {
      path: ['order_by'],
    },
  )
}

const byKey = { direction: 'asc', nulls: 'last' } as const

type Cell = string | readonly [beginning: string, bytes: number] | null

/** The text of a value that was read in another form. */
function cutCell(value: unknown, longest: number): Cell {
  const text = textOf(value)
  if (text === null) return null
  const beginning = leftOf(text, longest)
  return beginning.length < text.length ? [beginning, Buffer.byteLength(text)] : text
}

/** The beginning of a text in characters as PostgreSQL counts them, some of which are two units of JavaScript. */
function leftOf(text: string, characters: number): string {
  if (text.length <= characters) return text
  let end = 0
  for (let i = 0; i < characters && end < text.length; i++) end += text.codePointAt(end)! > 0xffff ? 2 : 1
  return text.slice(0, end)
}

/** `browse_rows`. */
export const browseRows = (options: DataOptions) =>
  operation({
    adminOnly: false,
    editsMetadata: false,
    type: 'browse_rows',
    about: { summary: 'Reads a page of rows as texts, with long values cut.', result: Page },
    access: 'any',
    args: Args,
    handle: (context, args) => browse(context, args, options),
  })

async function browse(context: OperationContext, args: Static<typeof Args>, options: DataOptions) {
  const {
    order_by: terms = [],
    limit = rowsByDefault,
    preview_bytes: preview = previewByDefault,
    count = 'none',
  } = args
  const caller = await callerOf(context, args.table, options)
  const access = caller.readableByItself(caller.table(args.table, { action: 'select', at: ['table'] }))
  const { select } = access
  const columns = readableColumns(args.columns, access, caller, 'only columns can be browsed')
  caller.cost.add(columns.length)
  const longest = Math.min(preview, Math.floor(mostPageCharacters / (limit * Math.max(1, columns.length))))
  const key = keyOf(access)
  const order = orderOf(terms, key, access)
  const orderBy = within('order_by', () => planOrder(order ? order.map(termOf) : terms, access, caller))
  const asked = within('where', () => caller.condition(args.where, access))
  if (args.after !== undefined && !order) {
    throw badRequest('not-supported', 'rows without a key that the role may read have one page', { path: ['after'] })
  }
  const where = args.after === undefined || !order ? asked : bothOf(asked, afterCursor(order, args.after))
  const isSeenOtherwise = ({ name }: ColumnModel) => select.transformed.has(name)
  const entries = columns.map((column, i) => ({
    key: String(i),
    value: isSeenOtherwise(column) ? columnOutput(column, access, caller) : cellOutput(column, longest),
  }))
  const cursor = order ? [{ key: 'cursor', value: cursorOutput(order) }] : []
  const output: Output = { kind: 'object', entries: [...entries, ...cursor] }
  const plan = { rows: select.rows({ where, orderBy, limit }), output }
  const printer = new Printer(printerOptions(context))
  const found = await runStatement(printer.finish(manyQuery(plan, null, printer)), context)
  const rows = readTransformed({ kind: 'many', select: plan }, found, caller.reads) as Readonly<
    Record<string, unknown>
  >[]
  const truncated: Static<typeof Cut>[] = []
  const cells = rows.map((row, at) =>
    columns.map((column, i) => {
      const value = row[String(i)]
      const cell = isSeenOtherwise(column) ? cutCell(value, longest) : (value as Cell)
      if (!Array.isArray(cell)) return cell
      truncated.push({ row: at, column: column.name, bytes: Number(cell[1]) })
      return cell[0]
    }),
  )
  const isFull = rows.length === Math.min(limit, plan.rows.permissionLimit ?? limit)
  const last = rows.at(-1)?.['cursor'] as readonly unknown[] | null | undefined
  const counted =
    count === 'none' ? {} : { count: await countRowsOf(context, { access, where: asked }, count as CountAsked) }
  return {
    columns: columns.map(({ name, type }) => ({ name, type: type.name })),
    ...{
      key,
      rows: cells,
      truncated,
      next: last === undefined || (last === null && !isFull) ? null : cursorOf(last),
      ...counted,
    },
  }
}

const termOf = ({ column, direction, nulls }: OrderedColumn): OrderTerm => ({ path: [column.name], direction, nulls })

const bothOf = (one: ReturnType<Caller['condition']>, other: ReturnType<Caller['condition']>) =>
  one.kind === 'true' ? other : ({ kind: 'and', of: [one, other] } as const)
