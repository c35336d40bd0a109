// The PostgreSQL settings that tell triggers and functions the session of a transaction.

import { settingsStatement, type TransactionSettings } from '../database/sql/transaction-settings.ts'
import type { Transaction } from '../database/transaction.ts'
import { blaming } from '../errors/blame.ts'
import type { Dialect } from '../names/dialect.ts'
import type { Session } from './session.ts'

/** The settings of PostgreSQL that tell a transaction about its session. */
export class SessionSettings {
  readonly #userSetting: string
  readonly #more: ((requestId: string | null) => TransactionSettings)[] = []

  constructor({ userSetting }: Pick<Dialect, 'userSetting'>) {
    this.#userSetting = userSetting
  }

  /**
   * Adds settings of a plugin for the current request. The start of each transaction calls `more` with the id of the
   * request, or null if no client asked.
   */
  add(more: (requestId: string | null) => TransactionSettings): void {
    if (typeof more !== 'function') throw new Error('session settings must be given as a function')
    this.#more.push(more)
  }

  /** The session variables as JSON, and the settings of plugins. `requestId`: null if no client asked. */
  of({ variables }: Session, requestId: string | null = null): TransactionSettings {
    const settings: Record<string, string> = {}
    settings[this.#userSetting] = JSON.stringify(variables)
    for (const more of this.#more)
      Object.assign(
        settings,
        blaming(more, () => checked(more(requestId))),
      )
    return settings
  }

  /** Applies the settings in a transaction that has begun. */
  async apply(session: Session, transaction: Transaction, requestId: string | null = null): Promise<void> {
    const { text, values } = settingsStatement(this.of(session, requestId), false)!
    await transaction.rows(text, values)
  }
}

/** A plugin's settings; throws for wrong types, which TypeScript cannot prevent in plain JavaScript. */
function checked(settings: TransactionSettings): TransactionSettings {
  if (settings instanceof Promise) throw new Error('session settings must be returned synchronously, not as a promise')
  for (const name in settings) {
    const type = typeof settings[name]
    if (type !== 'string')
      throw new Error(`the setting "${name}" of a session must be a string, but is of type ${type}`)
  }
  return settings
}
