// Running a text of the caller's in a transaction that is ours, and leaving the connection as it was.

import { TrellisError } from '../../sdk/index.ts'
import type { ScriptResult, Transaction } from '../../sdk/sql.ts'
import { endsTransaction, withoutTransactions } from './own-transaction.ts'
import { refusedText } from './refusals.ts'

/**
 * Settings of the session outlive the transaction, and the connection serves others afterwards. All of them first, since a time
 * limit of the text's would end what follows.
 */
const resetSession = 'reset all; reset session authorization; reset role'

/** Which transaction this is: its start, as a text that no setting of the session changes. */
const whichTransaction = 'select extract(epoch from pg_catalog.transaction_timestamp())::pg_catalog.text as started'

export interface ScriptOptions {
  readonly sql: string
  /** Brings back the settings of the transaction. */
  readonly restore: () => Promise<void>
  /** Whether errors say more than the interface asks for. */
  readonly helps: boolean
}

/** Runs a text; fails when it fails, and when it ends the transaction it was given. */
export async function runScript(
  transaction: Transaction,
  { sql, restore, helps }: ScriptOptions,
): Promise<ScriptResult> {
  const runnable = withoutTransactions(sql)
  const before = await startOf(transaction)
  const result = await runText(transaction, runnable.sql, (error) => refusedText(sql, error, helps))
  await transaction.script(resetSession)
  const after = await startOf(transaction)
  if (after !== before) throw endsTransaction()
  await restore()
  return runnable.endsWithNothing ? { command: '', columns: null, rows: null } : result
}

async function startOf(transaction: Transaction): Promise<string> {
  const [row] = await transaction.rows<{ started: string }>(whichTransaction)
  return row!.started
}

async function runText(
  transaction: Transaction,
  sql: string,
  refused: (error: Error) => TrellisError,
): Promise<ScriptResult> {
  try {
    return await transaction.script(sql)
  } catch (error) {
    const { cause } = error as Error
    if (!(error instanceof TrellisError) || !isStatementError(cause) || error.code === 'postgres-error') throw error
    throw refused(cause)
  }
}

/** PostgreSQL refused the text, as opposed to being out of reach. */
const isStatementError = (error: unknown): error is Error => error instanceof Error && 'severity' in error
