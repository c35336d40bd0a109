// The load beside subscribers: rows change ten times a second, and a client sends small requests over HTTP. Runs as a
// thread with its own clock, which the readers of messages do not delay.

import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import pg from 'pg'

/** The work of a round. */
export interface Changes {
  readonly url: string
  /** The server that gets requests; null: none. */
  readonly port: number | null
  readonly seconds: number
  readonly perSecond: number
  /** Groups whose rows change in turn. */
  readonly groups: readonly number[]
  /** The first number to write. Each number is written once, because an unchanged answer is not sent. */
  readonly from: number
}

/** A message of the thread. */
export type WriterReport =
  | { readonly committed: number; readonly group: number; readonly at: number }
  | { readonly done: readonly number[] }

/** Milliseconds between two requests. */
const askSpacing = 50

/** Milliseconds since a moment that is the same for all threads. */
export const clock = (): number => performance.timeOrigin + performance.now()

const update = 'update measured set n = $1 where id = (select min(id) from measured where grp = $2)'

async function write({ url, seconds, perSecond, groups, from }: Changes, report: (told: WriterReport) => void) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (let i = 0; i < seconds * perSecond; i++) {
    const due = performance.now() + 1000 / perSecond
    const group = groups[i % groups.length]!
    await client.query({ name: 'update', text: update, values: [from + i, group] })
    report({ committed: from + i, group, at: clock() })
    await sleep(Math.max(0, due - performance.now()))
  }
  await client.end()
}

async function ask(port: number, signal: AbortSignal): Promise<readonly number[]> {
  const waits: number[] = []
  while (!signal.aborted) {
    const asked = performance.now()
    const response = await fetch(`http://127.0.0.1:${port}/healthz`)
    await response.arrayBuffer()
    waits.push(performance.now() - asked)
    await sleep(askSpacing)
  }
  return waits
}

parentPort?.on('message', async (changes: Changes) => {
  const report = (told: WriterReport) => parentPort?.postMessage(told)
  const controller = new AbortController()
  const asking = changes.port === null ? null : ask(changes.port, controller.signal)
  await write(changes, report)
  controller.abort()
  report({ done: (await asking) ?? [] })
})
