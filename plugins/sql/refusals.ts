// The error for a script that PostgreSQL refuses: the interface's members stay unchanged, help is added next to them.

import { badRequest, type TrellisError } from '../../sdk/index.ts'
import { databaseErrorDetails } from '../../sdk/sql.ts'
import { indexOfCharacter, placeOf } from './places.ts'
import { statements } from './statements.ts'
import { longestRepeated } from './tuning.ts'

/** An error of PostgreSQL; `position` counts the characters of the text. */
interface StatementError extends Error {
  readonly code?: string
  readonly position?: string
}

/** The error for a text; `helps`: whether it says more than the interface asks for. */
export function refusedText(sql: string, error: StatementError, helps: boolean): TrellisError {
  const internal = databaseErrorDetails(error, sql, [])
  return badRequest('postgres-error', 'query execution failed', {
    internal: helps ? withHelp(internal, sql, error) : internal,
    cause: error,
  })
}

function withHelp(internal: ReturnType<typeof databaseErrorDetails>, sql: string, error: StatementError) {
  const position = error.position === undefined ? null : Number(error.position)
  const index = position === null ? null : indexOfCharacter(sql, position)
  const place = index === null ? {} : { position, ...placeOf(sql, index) }
  const help = helpFor(sql, error)
  return {
    ...internal,
    statement: excerpt(sql, index ?? 0),
    error: { ...internal.error, ...place },
    ...(help !== null && { help }),
  }
}

/** The part of a long text around a position. */
function excerpt(text: string, index: number): string {
  if (text.length <= longestRepeated) return text
  const start = Math.max(0, Math.min(index - longestRepeated / 2, text.length - longestRepeated))
  const end = start + longestRepeated
  return `${start > 0 ? '…' : ''}${text.slice(start, end).toWellFormed()}${end < text.length ? '…' : ''}`
}

const syntaxError = '42601'
const failedCopy = /^COPY from stdin failed/

/** Help for a text that was written for psql; null for other mistakes. */
function helpFor(sql: string, { code, message }: StatementError): string | null {
  if (code !== syntaxError && !failedCopy.test(message)) return null
  if (copiesFromInput(sql)) {
    return 'rows of COPY ... FROM stdin cannot be sent this way: use INSERT statements, which pg_dump writes with --inserts'
  }
  if (!message.includes('"\\"')) return null
  return 'lines that begin with a backslash are commands of psql, which PostgreSQL does not know: leave them out'
}

function copiesFromInput(sql: string): boolean {
  if (!/stdin/i.test(sql)) return false
  for (const { words } of statements(sql)) {
    if (words[0] === 'copy' && / from stdin\b/.test(words.join(' '))) return true
  }
  return false
}
