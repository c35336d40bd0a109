// How the runs of a statement went, which decides whether it is known to be short. Kept by its text, so that it outlives
// plans and changes of the metadata.

import { LRUCache } from 'lru-cache'

/** A run of at most so many milliseconds is a short one. */
const shortMillis = 5

/** So many short runs in a row make a statement known to be short; twice as many when it disappoints on a lane again and again. */
const [fewestShortRuns, mostShortRuns] = [3, 4096]

/** A run that holds up a lane once in so many is an accident: whatever else the machine does can be the reason. */
const accident = 64

/** With more statements at work than this the time of a run tells more of the crowd than of the statement. */
const crowd = 4

/** Milliseconds that a run may hold up a lane while so many statements run on connections of their own. */
export const laneMillis = (atWork: number): number => (atWork > crowd ? 4 * shortMillis : shortMillis)

export class StatementHistory {
  #runs = 0
  /** Short runs since the last long one. */
  #shortRuns = 0
  #neededRuns: number = fewestShortRuns
  /** Runs on lanes since one held up a lane. */
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

  /** Running mean of what it takes when its turn on a lane has come, in milliseconds. */
  get meanMillis(): number {
    return this.#meanMillis
  }

  /** Notes a run on a connection of its own; `atWork`: how many others ran beside it. */
  ranAlone(millis: number, atWork: number): void {
    this.#runs++
    if (millis <= shortMillis) this.#shortRuns++
    else if (atWork <= crowd) this.#shortRuns = 0
  }

  /** Notes a run on a lane that held up nobody. */
  ranOnLane(millis: number): void {
    this.#runs++
    this.#goodRuns++
    this.#meanMillis += (millis - this.#meanMillis) / 16
  }

  /** Notes that it held up a lane; `atWork`: how many statements ran beside it on connections of their own. */
  heldUpLane(atWork: number): void {
    this.#shortRuns = 0
    if (atWork > crowd) return
    const needed = this.#goodRuns < accident ? this.#neededRuns * 2 : this.#neededRuns / 2
    this.#neededRuns = Math.min(Math.max(needed, fewestShortRuns), mostShortRuns)
    this.#goodRuns = 0
  }
}

/** Statements that are remembered; one takes some 200 bytes. */
const remembered = 20_000

/** A statement whose runs are noted. */
interface NotedStatement {
  /** The same for the same text. */
  readonly name: string
  history: StatementHistory | null
}

/** The histories of a database's statements, by the name of the statement. */
export class StatementHistories {
  readonly #byName = new LRUCache<string, StatementHistory>({ max: remembered })

  of(statement: NotedStatement): StatementHistory {
    statement.history ??= this.#byName.get(statement.name) ?? this.#add(statement.name)
    return statement.history
  }

  #add(name: string): StatementHistory {
    const history = new StatementHistory()
    this.#byName.set(name, history)
    return history
  }
}
