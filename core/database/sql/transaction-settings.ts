// Settings of PostgreSQL that hold for one transaction.

import pg from 'pg'
import { keptSettingsStatements } from '../tuning.ts'
import type { Call } from '../wire/answering-client.ts'
import { type PreparedStatement, prepare } from './prepared-statement.ts'

/** Settings by name. */
export type TransactionSettings = Readonly<Record<string, string>>

/**
 * The settings of a read-only transaction. PostgreSQL refuses to take the setting back after the statement that makes it,
 * so no function can.
 */
export const readingOnly: TransactionSettings = { transaction_read_only: 'on' }

/** Statements by the names of the settings they make; plugins determine the names, so there are few. */
const known: { readonly names: readonly string[]; readonly statement: PreparedStatement }[] = []

/** The call that makes the settings for the rest of the transaction, named on connections that prepare; null: no settings. */
export function settingsStatement(settings: TransactionSettings, preparing: boolean): Call | null {
  const names = Object.keys(settings)
  if (names.length === 0) return null
  const { name, text } = known.find((each) => areSame(each.names, names))?.statement ?? makeStatement(names)
  return { name: preparing ? name : null, text, values: names.map((each) => settings[each]!) }
}

const areSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((name, i) => name === others[i])

function makeStatement(names: readonly string[]): PreparedStatement {
  const calls = names.map((name, i) => `pg_catalog.set_config(${pg.escapeLiteral(name)}, $${i + 1}, true)`)
  // It returns no rows, because no caller reads them. One expression: PostgreSQL may skip parts of an AND or OR.
  const statement = prepare({ text: `select where (${calls.join(' || ')}) is null`, params: [] })
  if (known.length < keptSettingsStatements) known.push({ names, statement })
  return statement
}
