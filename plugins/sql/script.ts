// Runs a caller's script in the server's transaction, and restores the connection afterwards.

import { TrellisError } from '../../sdk/index.ts'
import type { KeptRows, ScriptResult, Transaction } from '../../sdk/sql.ts'
import { endsTransaction, withoutTransactions } from './own-transaction.ts'
import { refusedText } from './refusals.ts'

/**
 * Session settings outlive the transaction, and the connection serves other requests afterwards. They are reset first,
 * because a statement_timeout of the script would end later statements.
 */
const resetSession = 'reset all; reset session authorization; reset role'

/** Identifies the transaction by its start, as a text that does not depend on session settings. */
const whichTransaction = 'select extract(epoch from pg_catalog.transaction_timestamp())::pg_catalog.text as started'

export interface ScriptOptions {
  readonly sql: string
  /** Limits of the rows in the result; absent: none. */
  readonly most?: KeptRows | undefined
  /** Restores the settings of the transaction. */
  readonly restore: () => Promise<void>
  /** Whether errors say more than the interface asks for. */
  readonly helps: boolean
}

/** Runs a script; fails if it fails, or if it ends the transaction. */
export async function runScript(
  transaction: Transaction,
  { sql, most, restore, helps }: ScriptOptions,
): Promise<ScriptResult> {
  const runnable = withoutTransactions(sql)
  const before = await startOf(transaction)
  const run = () => transaction.script(runnable.sql, most)
  const result = await orRefused(run, (error) => refusedText(sql, error, helps))
  await transaction.script(resetSession)
  const after = await startOf(transaction)
  if (after !== before) throw endsTransaction()
  await restore()
  return runnable.endsWithNothing ? { ...result, command: '', columns: null, rows: null } : result
}

async function startOf(transaction: Transaction): Promise<string> {
  const [row] = await transaction.rows<{ started: string }>(whichTransaction)
  return row!.started
}

async function orRefused(
  run: () => Promise<ScriptResult>,
  refused: (error: Error) => TrellisError,
): Promise<ScriptResult> {
  try {
    return await run()
  } catch (error) {
    const { cause } = error as Error
    if (!(error instanceof TrellisError) || !isStatementError(cause) || error.code === 'postgres-error') throw error
    throw refused(cause)
  }
}

/** Whether PostgreSQL refused the script, rather than being unreachable. */
const isStatementError = (error: unknown): error is Error => error instanceof Error && 'severity' in error
