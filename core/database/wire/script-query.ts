// Runs a text of several statements, and keeps no more of its rows than are wanted.

import pg from 'pg'
import type { KeptRows, Notice, StatementResult } from '../transaction.ts'

/** A result of `pg`; it adds rows to itself. */
type Result = pg.QueryArrayResult & { addRow(row: readonly unknown[]): void }

type Cells = readonly (string | null)[]

/** Notices of a text that are kept: a loop may raise millions. */
const keptNotices = 100

/** The outcomes of the statements of a text, and its notices. */
export interface ScriptOutcomes {
  readonly all: readonly StatementResult[]
  readonly notices: readonly Notice[]
}

/** Runs a text by the simple protocol, and returns the outcomes of its statements. */
export function runScript(client: pg.Client, text: string, most: KeptRows = {}): Promise<ScriptOutcomes> {
  const { rows = Number.POSITIVE_INFINITY, characters = Number.POSITIVE_INFINITY } = most
  const returned = new Map<unknown, number>()
  let left = characters
  const keep = (row: Cells, result: Result) => {
    const before = returned.get(result) ?? 0
    returned.set(result, before + 1)
    if (before >= rows || left < 0) return
    for (const cell of row) left -= cell?.length ?? 0
    if (left >= 0) result.addRow(row)
  }
  const outcome = (result: Result): StatementResult => {
    const { command, rowCount, fields, rows } = result
    const columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }))
    const count = returned.get(result) ?? 0
    return {
      ...{ command: command ?? '', rowCount, rows: rows as Cells[], hasMore: count > rows.length },
      // A result with rows may have no columns.
      columns: columns.length > 0 || count > 0 ? columns : null,
    }
  }
  const notices: Notice[] = []
  const notice = ({
    severity = 'NOTICE',
    message = '',
  }: {
    severity?: string | undefined
    message?: string | undefined
  }) => {
    if (notices.length < keptNotices) notices.push({ severity, message })
  }
  client.on('notice', notice)
  const ran = new Promise<ScriptOutcomes>((resolve, reject) => {
    const query = new pg.Query({ text, rowMode: 'array', types: { getTypeParser: () => String } } as pg.QueryConfig)
    query.on('row', (row, result) => keep(row as unknown as Cells, result as unknown as Result))
    query.on('end', (results) => resolve({ all: ([results].flat() as unknown as Result[]).map(outcome), notices }))
    query.on('error', reject)
    client.query(query)
  })
  return ran.finally(() => client.off('notice', notice))
}
