// A script may begin and commit a transaction itself, as tools write them. It runs in the request's transaction, so these
// statements are ignored, and a statement that would end or prepare the request's transaction is refused.

import { badRequest } from '../../sdk/index.ts'
import { placeOf } from './places.ts'
import { mayBeAboutTransaction, statements, transactionCommand } from './statements.ts'

/** The text that runs. */
export interface RunnableText {
  /** The text with blanks for BEGIN and COMMIT: each character keeps its position. */
  readonly sql: string
  /** Whether the last statement was ignored. */
  readonly endsWithNothing: boolean
}

/** Reads a text; refuses one that ends its transaction by anything but a commit. */
export function withoutTransactions(text: string): RunnableText {
  if (!mayBeAboutTransaction(text)) return { sql: text, endsWithNothing: false }
  const parts: string[] = []
  let copied = 0
  let endsWithNothing = false
  for (const statement of statements(text)) {
    const { start, end, words } = statement
    const command = transactionCommand(statement)
    if (command === 'ends') throw endsTransaction(`: ${named(words)} in line ${placeOf(text, start).line}`)
    if (words.length > 0 || !statement.isPlain) endsWithNothing = command !== null
    if (command === null) continue
    // One blank per character, whatever its length: positions count characters.
    parts.push(text.slice(copied, start), text.slice(start, end).replace(/[^\r\n]/gu, ' '))
    copied = end
  }
  parts.push(text.slice(copied))
  return { sql: parts.join(''), endsWithNothing }
}

const named = ([first = '', second]: readonly string[]): string =>
  (first === 'prepare' ? `${first} ${second}` : first).toUpperCase()

/** The error for a text that ends its transaction. */
export const endsTransaction = (where = '') =>
  badRequest('not-supported', `the sql must not end the transaction that it runs in${where}`)
