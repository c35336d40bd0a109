// How the runs of a statement went, which decides whether it is known to be short. Kept by its text, so that it outlives
// plans and changes of the metadata.

import { LRUCache } from 'lru-cache'
import type { PreparedStatement } from './prepared-statement.ts'

/** A run of at most so many milliseconds is a short one. */
export const shortMillis = 5

/** So many short runs in a row make a statement known to be short; each disappointment on a lane asks for twice as many. */
const [fewestShortRuns, mostShortRuns] = [3, 4096]

/** After so many good runs on a lane, times as many as it had to show, half of what it has to show is forgotten. */
const forgivingRuns = 64

/** With so many statements at work at once the time of a run tells more of the crowd than of the statement. */
const crowd = 4

export class StatementHistory {
  #runs = 0
  /** Short runs since the last long one. */
  #shortRuns = 0
  #neededRuns: number = fewestShortRuns
  #goodRuns = 0
  #meanMillis = 0

  /** Whether it ran before: what runs once is not worth a prepared statement. */
  get isRepeated(): boolean {
    return this.#runs > 0
  }

  /** Whether all its recent runs were short, and enough of them. */
  get isShort(): boolean {
    return this.#shortRuns >= this.#neededRuns
  }

  /** Running mean of what it takes on a connection, in milliseconds. */
  get meanMillis(): number {
    return this.#meanMillis
  }

  /** Notes a run on a connection of its own; `atWork`: how many others ran beside it. */
  ranAlone(millis: number, atWork: number): void {
    this.#note(millis)
    if (millis <= shortMillis) this.#shortRuns++
    else if (atWork <= crowd) this.#shortRuns = 0
  }

  /** Notes a run on a lane that held up nobody. */
  ranOnLane(millis: number): void {
    this.#note(millis)
    if (this.#neededRuns === fewestShortRuns || ++this.#goodRuns < this.#neededRuns * forgivingRuns) return
    this.#neededRuns /= 2
    this.#goodRuns = 0
  }

  /** Notes that it held up a lane. */
  heldUpLane(): void {
    this.#shortRuns = 0
    this.#goodRuns = 0
    this.#neededRuns = Math.min(this.#neededRuns * 2, mostShortRuns)
  }

  #note(millis: number): void {
    this.#runs++
    this.#meanMillis += (millis - this.#meanMillis) / Math.min(this.#runs, 16)
  }
}

/** Statements that are remembered; one takes some 200 bytes. */
const remembered = 20_000

/** The histories of a database's statements, by the name of the statement. */
export class StatementHistories {
  readonly #byName = new LRUCache<string, StatementHistory>({ max: remembered })

  of(statement: PreparedStatement): StatementHistory {
    statement.history ??= this.#byName.get(statement.name) ?? this.#add(statement.name)
    return statement.history
  }

  #add(name: string): StatementHistory {
    const history = new StatementHistory()
    this.#byName.set(name, history)
    return history
  }
}
