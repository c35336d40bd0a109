// The rows of an export, as one text a row: a line of CSV, or a JSON object.

import { badRequest, parseFailed, Type, within } from '../../../sdk/index.ts'
import { type ColumnModel, ColumnName, decode, TableName } from '../../../sdk/metadata.ts'
import { parseJson } from '../../../sdk/services.ts'
import { join, type Output, Printer, type PrinterOptions, rowQuery, type Statement, sql } from '../../../sdk/sql.ts'
import { Expression } from '../../permissions/schema.ts'
import type { Caller, ReadableTable } from '../caller.ts'
import { readableColumns } from '../columns.ts'
import { planOrder } from '../order-by.ts'
import { readTransformed, textOf } from '../read-transformed.ts'
import { OrderBy } from '../schema.ts'
import { columnOutput } from '../select.ts'
import { csvCell, csvCellSql, isHarmless, lineEnd } from './csv.ts'

export type Format = 'csv' | 'ndjson'

/** Parameters of the URL; each may come several times where it is a list. */
const Parameters = Type.Object(
  {
    table: Type.String(),
    schema: Type.Optional(Type.String()),
    columns: Type.Optional(Type.Array(ColumnName, { maxItems: 1600 })),
    where: Type.Optional(Expression),
    order_by: Type.Optional(OrderBy),
    limit: Type.Optional(Type.Integer({ minimum: 0 })),
    raw: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false, missingKey: 'A' },
)

export type ExportAsked = typeof Parameters.static

const lists = new Set(['columns', 'order_by'])

/** The parameters of an export; throws `parse-failed` with the parameter's path. */
export function readParameters(query: Readonly<Record<string, string | readonly string[]>>): ExportAsked {
  const read = Object.entries(query).map(([key, value]) => [key, within(key, () => readParameter(key, value))])
  return decode(Parameters, Object.fromEntries(read))
}

function readParameter(key: string, value: string | readonly string[]): unknown {
  if (lists.has(key)) return [value].flat()
  if (typeof value !== 'string') throw parseFailed('the parameter comes more than once')
  if (key === 'limit') return /^\d{1,15}$/.test(value) ? Number(value) : value
  if (key === 'raw') return value === 'true' ? true : value === 'false' ? false : value
  if (key !== 'where') return value
  try {
    return parseJson(value, 'lossless')
  } catch {
    throw parseFailed('expected a boolean expression as JSON')
  }
}

/** The table that the parameters name. */
export const tableOf = ({ table, schema = 'public' }: ExportAsked) => decode(TableName, { schema, name: table })

/** An export that is ready to run. */
export interface Export {
  readonly statement: Statement
  /** Text before the rows. */
  readonly head: string
  /** The texts of rows, each with its end. */
  texts(rows: readonly string[]): string
}

/** The caller of an export, and the form of its values. */
export interface ExportContext {
  readonly caller: Caller
  readonly printing: PrinterOptions
}

export function planExport(asked: ExportAsked, format: Format, { caller, printing }: ExportContext): Export {
  const access = caller.readableByItself(caller.table(tableOf(asked), { action: 'select', at: ['table'] }))
  const named = readableColumns(asked.columns, access, caller, 'only columns can be exported')
  const columns = [...new Set(named)]
  if (columns.length === 0)
    throw badRequest('not-supported', 'an export has at least one column', { path: ['columns'] })
  caller.cost.add(columns.length)
  const rows = access.select.rows({
    where: within('where', () => caller.condition(asked.where, access)),
    orderBy: within('order_by', () => planOrder(asked.order_by ?? [], access, caller)),
    limit: asked.limit ?? null,
  })
  const isGuarded = asked.raw !== true
  const { output, texts } =
    format === 'csv' ? csvOf(columns, isGuarded, access, caller) : jsonOf(columns, access, caller)
  const printer = new Printer(printing)
  const statement = printer.finish(rowQuery({ rows, output }, null, printer))
  const head = columns.map(({ name }) => csvCell(name, isGuarded)).join(',')
  return { statement, head: format === 'csv' ? head + lineEnd : '', texts }
}

type Written = Pick<Export, 'texts'> & { readonly output: Output }

const objectOf = (columns: readonly ColumnModel[], access: ReadableTable, caller: Caller): Output => ({
  kind: 'object',
  entries: columns.map((column) => ({ key: column.name, value: columnOutput(column, access, caller) })),
})

function csvOf(columns: readonly ColumnModel[], isGuarded: boolean, access: ReadableTable, caller: Caller): Written {
  const guards = columns.map((column) => isGuarded && !isHarmless(column))
  if (columns.every(({ name }) => !access.select.transformed.has(name))) {
    const output: Output = {
      kind: 'sql',
      build: (row) => {
        const cells = columns.map((column, i) => csvCellSql(row, column, guards[i]!))
        return sql`array_to_string(array[${join(cells)}], ',')`
      },
    }
    return { output, texts: (rows) => rows.map((row) => row + lineEnd).join('') }
  }
  // Values in another form than the stored one are known as JSON alone.
  const output = objectOf(columns, access, caller)
  const line = (text: string) => {
    const row = readTransformed(output, parseJson(text, 'lossless'), caller.reads) as Readonly<Record<string, unknown>>
    return columns.map(({ name }, i) => csvCell(textOf(row[name]), guards[i]!)).join(',') + lineEnd
  }
  return { output, texts: (rows) => rows.map(line).join('') }
}

function jsonOf(columns: readonly ColumnModel[], access: ReadableTable, caller: Caller): Written {
  const output = objectOf(columns, access, caller)
  const seen = (text: string) =>
    `${JSON.stringify(readTransformed(output, parseJson(text, 'lossless'), caller.reads))}\n`
  // Values of `json` keep the line ends that they were stored with, which are white space there.
  const kept = (text: string) => `${text.replaceAll(/[\r\n]+/g, ' ')}\n`
  return { output, texts: (rows) => rows.map(caller.reads.size > 0 ? seen : kept).join('') }
}
