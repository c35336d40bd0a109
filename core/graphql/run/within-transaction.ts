// A transaction instead of the database, for an operation that runs as a part of it.

import type { OwnTransaction, Transaction } from '../../database/transaction.ts'
import type { OperationDatabase } from './execution-context.ts'

/** The database of an operation within a transaction that its caller begins and ends. */
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
