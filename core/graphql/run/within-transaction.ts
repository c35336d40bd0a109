// A transaction in the place of the database, so that an operation is a part of it.

import type { OwnTransaction, Transaction } from '../../database/transaction.ts'
import type { OperationDatabase } from './execution-context.ts'

/** What an operation runs as a part of a transaction that somebody else began, and will end. */
export function withinTransaction(transaction: Transaction): OperationDatabase {
  const part: OwnTransaction = {
    rows: (text, values) => transaction.rows(text, values),
    bytes: (statement, values) => transaction.bytes(statement, values),
    lastBytes: (statement, values) => transaction.bytes(statement, values),
    texts: (statement, values) => transaction.texts(statement, values),
    script: (text) => transaction.script(text),
  }
  return { answer: part.bytes, change: part.bytes, transaction: (work) => work(part) }
}
