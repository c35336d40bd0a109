// Running a text of the caller's in a transaction that is ours, and leaving the connection as it was.

import { databaseErrorDetails } from '../../core/database/postgres-errors.ts'
import type { ScriptResult, Transaction } from '../../core/database/transaction.ts'
import { badRequest, TrellisError } from '../../core/errors.ts'
import { hasTransactionEnd } from './statements.ts'

/** Settings of the session outlive the transaction, and the connection serves others afterwards. */
const resetSession = 'reset session authorization; reset role; reset all'

/** Which transaction this is: its start, as a text that no setting of the session changes. */
const whichTransaction = 'select extract(epoch from pg_catalog.transaction_timestamp())::pg_catalog.text as started'

/** Runs the text; fails when it fails, and when it ends the transaction it was given. `restore` brings back its settings. */
export async function runScript(
  transaction: Transaction,
  sql: string,
  restore: () => Promise<void>,
): Promise<ScriptResult> {
  // What is committed could not be taken back.
  if (hasTransactionEnd(sql)) throw endsTransaction()
  const before = await startOf(transaction)
  const result = await runText(transaction, sql)
  const after = await startOf(transaction)
  await transaction.script(resetSession)
  if (after !== before) throw endsTransaction()
  await restore()
  return result
}

async function startOf(transaction: Transaction): Promise<string> {
  const [row] = await transaction.rows<{ started: string }>(whichTransaction)
  return row!.started
}

const endsTransaction = () => badRequest('not-supported', 'the sql must not end the transaction that it runs in')

async function runText(transaction: Transaction, sql: string): Promise<ScriptResult> {
  try {
    return await transaction.script(sql)
  } catch (error) {
    const { cause } = error as Error
    if (!(error instanceof TrellisError) || !isStatementError(cause) || error.code === 'postgres-error') throw error
    const internal = databaseErrorDetails(cause, sql, [])
    throw badRequest('postgres-error', 'query execution failed', { internal, cause })
  }
}

/** PostgreSQL refused the text, as opposed to being out of reach. */
const isStatementError = (error: unknown): error is Error => error instanceof Error && 'severity' in error
