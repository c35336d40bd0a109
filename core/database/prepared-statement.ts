// Statements that run again and again, and the bounds on how many a connection keeps.

import { createHash } from 'node:crypto'
import type { ParamSource } from './param.ts'
import type { Statement } from './sql.ts'

/** A statement that is worth remembering: how often it ran, how long it takes, and a name for it on connections. */
export class PreparedStatement implements Statement {
  readonly text: string
  readonly params: readonly ParamSource[]
  /** A digest of the text, so equal texts share one prepared statement. */
  readonly name: string
  #runs = 0
  #meanMillis = 0

  constructor({ text, params }: Statement) {
    this.text = text
    this.params = params
    this.name = `t${createHash('sha1').update(text).digest('base64url')}`
  }

  /** Whether it ran before: what runs once is not worth a prepared statement. */
  get isRepeated(): boolean {
    return this.#runs > 0
  }

  /** Running mean of its duration. */
  get meanMillis(): number {
    return this.#meanMillis
  }

  /** Notes that it ran, and how long. */
  took(millis: number): void {
    this.#runs++
    this.#meanMillis += (millis - this.#meanMillis) / 16
  }
}

/** Makes a statement one that can be prepared. */
export const prepare = (statement: Statement): PreparedStatement => new PreparedStatement(statement)

/**
 * A connection with more prepared statements than this, or more characters of them, is replaced: the server keeps them and
 * their plans for its whole life.
 */
const maxPrepared = 1000
const maxPreparedText = 4_000_000

/** Counts the statements that are prepared on a connection. */
export class PreparedNames {
  readonly #names = new Set<string>()
  #textSize = 0

  /** Notes a statement that is about to run. */
  add({ name, text, isRepeated }: PreparedStatement, preparing: boolean): void {
    if (!preparing || !isRepeated || this.#names.has(name)) return
    this.#names.add(name)
    this.#textSize += text.length
  }

  get isFull(): boolean {
    return this.#names.size > maxPrepared || this.#textSize > maxPreparedText
  }
}
