// The statements of a request as they are recorded, without the begin and the end of transactions. The engine has
// several ways to send these. Its choice depends on the earlier use of the connection.

import { layoutSql } from './sql-layout.ts'
import type { SentStatement } from './wire-recorder.ts'

/** Statements that stand or fall together. */
interface Frame {
  /** Absent: no transaction was asked for. */
  readonly title: string | null
  /** Of the one batch that is the transaction; null where BEGIN and COMMIT are its bounds. */
  readonly batch: number | null
  readonly statements: SentStatement[]
}

/** The text of all statements. Those outside of a transaction run side by side: which of them is first means nothing. */
export function printStatements(statements: readonly SentStatement[]): string {
  const texts: string[] = []
  let outside: string[] = []
  const flush = () => {
    if (outside.length > 0 && texts.length > 0) texts.push('-- no transaction')
    texts.push(...outside.sort())
    outside = []
  }
  for (const { title, statements: held } of framesOf(statements)) {
    if (title === null) outside.push(...held.map(printStatement))
    else {
      flush()
      texts.push(title, ...held.map(printStatement))
    }
  }
  flush()
  return texts.join('\n\n')
}

const begin = /^BEGIN ISOLATION LEVEL (.*)$/

/** The session in settings of the transaction. */
const settings = /^select where \(pg_catalog\.set_config\(/

/** The check of a connection that was idle for long is not part of the request. */
const trial = 'select 1'

function framesOf(statements: readonly SentStatement[]): readonly Frame[] {
  const frames: Frame[] = []
  const open = new Map<number, Frame>()
  const add = (connection: number, frame: Frame): Frame => {
    frames.push(frame)
    open.set(connection, frame)
    return frame
  }
  for (const statement of statements) {
    const { text, connection, batch } = statement
    if (text === trial) continue
    const [, level] = begin.exec(text) ?? []
    const known = open.get(connection)
    const current = known && (known.batch === null || known.batch === batch) ? known : undefined
    if (level !== undefined) add(connection, { title: titleOf(level), batch: null, statements: [] })
    else if (text === 'COMMIT' || text === 'ROLLBACK') open.delete(connection)
    else if (settings.test(text)) current ?? add(connection, { title: titleOf(usual), batch, statements: [] })
    else if (current) current.statements.push(statement)
    else frames.push({ title: null, batch, statements: [statement] })
  }
  return frames
}

const usual = 'READ COMMITTED'

const titleOf = (level: string): string => (level === usual ? '-- transaction' : `-- transaction: ${level}`)

const printStatement = ({ text, values }: SentStatement): string =>
  [layoutSql(text), ...values.map((value, i) => `-- $${i + 1} = ${JSON.stringify(value)}`)].join('\n')
