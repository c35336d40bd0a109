// A stream of requests of every kind, with the outcome of each.

import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf, type RawRequest } from '../support/client.ts'

/** One kind of request, which a separate worker repeats. */
export interface LoadKind {
  readonly name: string
  readonly path: string
  /** The body of the n-th request. */
  body(n: number): unknown
}

export interface Outcome {
  readonly kind: string
  readonly status: number
  /** The answer's body. */
  readonly body: unknown
}

export interface Load {
  readonly outcomes: readonly Outcome[]
  /** Waits until a request of each kind that begins from now on has ended in the wanted way. */
  everyKind(isWanted: (outcome: Outcome) => boolean): Promise<void>
  /** Ends when the requests in flight have been answered. */
  stop(): Promise<void>
}

/** Longer than any request may take, so that one that hangs fails its test. */
const timeoutMillis = 20_000

/** Milliseconds between the requests of a worker: errors come back at once, and the processor is shared. */
const pause = 10

/** Sends requests of each kind until it is stopped; a request that is not answered at all fails {@link Load.stop}. */
export function startLoad(url: string, kinds: readonly LoadKind[]): Load {
  const { request } = clientOf(url)
  const outcomes: Outcome[] = []
  let stopped = false
  const work = async ({ name, path, body }: LoadKind) => {
    for (let n = 0; !stopped; n++) {
      const call: RawRequest = { body: body(n) }
      const answer = await Promise.race([request(path, call), sleep(timeoutMillis, null, { ref: false })])
      if (answer === null) throw new Error(`${name} was not answered within ${timeoutMillis / 1000} s`)
      outcomes.push({ kind: name, status: answer.status, body: answer.body })
      await sleep(pause)
    }
  }
  const workers = Promise.all(kinds.map(work))
  workers.catch(() => {
    stopped = true
  })
  const everyKind = async (isWanted: (outcome: Outcome) => boolean) => {
    const missing = new Map(kinds.map(({ name }) => [name, 2]))
    const started = Date.now()
    for (let seen = outcomes.length; missing.size > 0; await sleep(pause)) {
      if (stopped) await workers
      if (Date.now() - started > timeoutMillis) throw new Error(`still missing: ${[...missing.keys()].join(', ')}`)
      for (const outcome of outcomes.slice(seen).filter(isWanted)) {
        // The first one may have begun before.
        const left = (missing.get(outcome.kind) ?? 1) - 1
        if (left === 0) missing.delete(outcome.kind)
        else missing.set(outcome.kind, left)
      }
      seen = outcomes.length
    }
  }
  return {
    outcomes,
    everyKind,
    stop: async () => {
      stopped = true
      await workers
    },
  }
}
