// Settings of PostgreSQL that hold for one transaction.

import pg from 'pg'
import type { Call } from '../wire/answering-client.ts'
import { type PreparedStatement, prepare } from './prepared-statement.ts'

/** Settings by name. */
export type TransactionSettings = Readonly<Record<string, string>>

/** Statements by the names of the settings that they make, which plugins know, so that there are few. */
const known: { readonly names: readonly string[]; readonly statement: PreparedStatement }[] = []
const mostKnown = 50

/** The call that makes settings for the rest of a transaction, with a name on connections that prepare it; null: there are none. */
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
  // Nothing is returned, since nobody would read it; one expression, since the rest of a condition may be left out.
  const statement = prepare({ text: `select where (${calls.join(' || ')}) is null`, params: [] })
  if (known.length < mostKnown) known.push({ names, statement })
  return statement
}
