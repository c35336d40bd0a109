// Running a text of the caller's in a transaction that is ours, and leaving the connection as it was.

import { randomUUID } from 'node:crypto'
import { databaseErrorDetails } from '../../core/database/postgres-errors.ts'
import type { ScriptResult, Transaction } from '../../core/database/transaction.ts'
import { badRequest, TrellisError } from '../../core/errors.ts'
import { hasTransactionEnd } from './statements.ts'

/** Set for the transaction only: when it is gone, the text ended the transaction. */
const marker = 'trellis.run_sql'

/** Settings of the session outlive the transaction, and the connection serves others afterwards. */
const resetSession = 'reset session authorization; reset role; reset all'

const setConfig = 'select pg_catalog.set_config($1, $2, true)'

/** Runs the text; fails when it fails, and when it ends the transaction it was given. `restore` brings back its settings. */
export async function runScript(
  transaction: Transaction,
  sql: string,
  restore: () => Promise<void>,
): Promise<ScriptResult> {
  // What is committed could not be taken back.
  if (hasTransactionEnd(sql)) throw endsTransaction()
  const id = randomUUID()
  await transaction.rows(setConfig, [marker, id])
  const result = await runText(transaction, sql)
  const [row] = await transaction.rows<{ id: string | null }>('select pg_catalog.current_setting($1, true) as id', [
    marker,
  ])
  await transaction.script(resetSession)
  if (row?.id !== id) throw endsTransaction()
  await restore()
  return result
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
