// The settings of PostgreSQL by which triggers and functions learn in whose name a transaction runs.

import { settingsStatement, type TransactionSettings } from '../database/sql/transaction-settings.ts'
import type { Transaction } from '../database/transaction.ts'
import type { Dialect } from '../names/dialect.ts'
import type { Session } from './session.ts'

export class SessionSettings {
  readonly #userSetting: string
  readonly #more: (() => TransactionSettings)[] = []

  constructor({ userSetting }: Pick<Dialect, 'userSetting'>) {
    this.#userSetting = userSetting
  }

  /** Adds what a plugin knows of the request at hand; asked whenever a transaction begins for one. */
  add(more: () => TransactionSettings): void {
    if (typeof more !== 'function') throw new Error('settings of a session are told by a function')
    this.#more.push(more)
  }

  /** The session variables as JSON, and what plugins add. */
  of({ variables }: Session): TransactionSettings {
    const settings: Record<string, string> = {}
    settings[this.#userSetting] = JSON.stringify(variables)
    for (const more of this.#more) Object.assign(settings, checked(more()))
    return settings
  }

  /** Makes them in a transaction that has begun. */
  async apply(session: Session, transaction: Transaction): Promise<void> {
    const { text, values } = settingsStatement(this.of(session), false)!
    await transaction.rows(text, values)
  }
}

/** Settings as a plugin tells them, which may be none; throws at what no compiler refused in plain JavaScript. */
function checked(settings: TransactionSettings): TransactionSettings {
  if (settings instanceof Promise) throw new Error('the settings of a session have to be told at once')
  for (const name in settings) {
    const type = typeof settings[name]
    if (type !== 'string')
      throw new Error(`the setting "${name}" of a session has to be a text, and is of type ${type}`)
  }
  return settings
}
