// How the runs of a statement went: that decides whether it may run on a lane. Kept by the statement's text, so that it
// survives plans and metadata changes.

import { LRUCache } from 'lru-cache'
import {
  crowdSize,
  fewestShortRuns,
  mostShortRuns,
  rememberedStatements,
  runsPerAccident,
  shortRunMillis,
} from '../tuning.ts'

/** Milliseconds that a run may block a lane; `atWork` counts the statements on connections of their own. */
export const laneMillis = (atWork: number): number => (atWork > crowdSize ? 4 * shortRunMillis : shortRunMillis)

export class StatementHistory {
  #runs = 0
  /** Short runs since the last long one. */
  #shortRuns = 0
  #neededRuns: number = fewestShortRuns
  /** Runs on lanes since one blocked its lane. */
  #goodRuns = 0
  #meanMillis = 0

  /** Whether it ran before: a statement that runs once is not worth preparing. */
  get isRepeated(): boolean {
    return this.#runs > 0
  }

  /** Whether enough recent runs in a row were short. */
  get isShort(): boolean {
    return this.#shortRuns >= this.#neededRuns
  }

  /** Running mean of its duration on a lane, without the wait for earlier reads, in milliseconds. */
  get meanMillis(): number {
    return this.#meanMillis
  }

  /** Records a run on its own connection; `atWork` counts the other statements at that time. */
  ranAlone(millis: number, atWork: number): void {
    this.#runs++
    if (millis <= shortRunMillis) this.#shortRuns++
    else if (atWork <= crowdSize) this.#shortRuns = 0
  }

  /** Records a run on a lane that delayed no other read. */
  ranOnLane(millis: number): void {
    this.#runs++
    this.#goodRuns++
    this.#meanMillis += (millis - this.#meanMillis) / 16
  }

  /** Records that it blocked a lane; `atWork` counts the statements on connections of their own. */
  heldUpLane(atWork: number): void {
    this.#shortRuns = 0
    if (atWork > crowdSize) return
    const needed = this.#goodRuns < runsPerAccident ? this.#neededRuns * 2 : this.#neededRuns / 2
    this.#neededRuns = Math.min(Math.max(needed, fewestShortRuns), mostShortRuns)
    this.#goodRuns = 0
  }
}

/** A statement with a history. */
interface NotedStatement {
  /** Equal for equal texts. */
  readonly name: string
  history: StatementHistory | null
}

/** The histories of a database's statements, by statement name. */
export class StatementHistories {
  // By size, because `max` allocates all places at once.
  readonly #byName = new LRUCache<string, StatementHistory>({ maxSize: rememberedStatements, sizeCalculation: () => 1 })

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
