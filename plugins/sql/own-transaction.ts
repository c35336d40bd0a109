// A text may begin and commit a transaction itself, as tools write them. It runs in one that is the request's: such
// statements have no effect of their own, and one that would undo or put aside the request's is refused.

import { badRequest } from '../../sdk/index.ts'
import { placeOf } from './places.ts'
import { mayBeAboutTransaction, statements, transactionCommand } from './statements.ts'

/** What is run instead of a text. */
export interface RunnableText {
  /** The text with blanks where a transaction began or ended: each character keeps its place. */
  readonly sql: string
  /** Whether the last statement was one of those. */
  readonly endsWithNothing: boolean
}

/** Reads a text; refuses one that ends the transaction that it runs in otherwise than by committing it. */
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
    // A character is a blank, whatever its size: places are counted in characters.
    parts.push(text.slice(copied, start), text.slice(start, end).replace(/[^\r\n]/gu, ' '))
    copied = end
  }
  parts.push(text.slice(copied))
  return { sql: parts.join(''), endsWithNothing }
}

const named = ([first = '', second]: readonly string[]): string =>
  (first === 'prepare' ? `${first} ${second}` : first).toUpperCase()

/** The refusal of a text that ends its transaction. */
export const endsTransaction = (where = '') =>
  badRequest('not-supported', `the sql must not end the transaction that it runs in${where}`)
