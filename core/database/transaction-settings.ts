// Settings of PostgreSQL that hold for one transaction.

import pg from 'pg'
import type { Call } from './answering-client.ts'

/** Settings by name. */
export type TransactionSettings = Readonly<Record<string, string>>

/** A statement that makes certain settings. */
interface SettingsStatement {
  readonly names: readonly string[]
  /** By which connections prepare it; null: they do not. */
  readonly name: string | null
  readonly text: string
}

/** Those that were made; plugins know the names of their settings, so there are few. */
const known: SettingsStatement[] = []
const mostKnown = 50

/** The call that makes settings for the rest of a transaction, with a name on connections that prepare it; null: there are none. */
export function settingsStatement(settings: TransactionSettings, preparing: boolean): Call | null {
  const names = Object.keys(settings)
  if (names.length === 0) return null
  const { name, text } = known.find((each) => areSame(each.names, names)) ?? makeStatement(names)
  return { name: preparing ? name : null, text, values: names.map((each) => settings[each]!) }
}

const areSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((name, i) => name === others[i])

function makeStatement(names: readonly string[]): SettingsStatement {
  const calls = names.map((name, i) => `pg_catalog.set_config(${pg.escapeLiteral(name)}, $${i + 1}, true)`)
  // Nothing is returned, since nobody would read it; one expression, since the rest of a condition may be left out.
  const text = `select where (${calls.join(' || ')}) is null`
  if (known.length >= mostKnown) return { names, name: null, text }
  const made = { names, name: `trellis_settings_${known.length}`, text }
  known.push(made)
  return made
}
