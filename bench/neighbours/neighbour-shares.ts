// Rows about one caller that needs more than its share, beside others.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Trellis } from '../support/trellis.ts'
import type { Figure, Neighbour } from './neighbour.ts'
import { BenchSocket } from './neighbour-sockets.ts'
import { creditAccount, napQuery, newName, timeRequest } from './neighbour-world.ts'

/** Both callers are administrators, as all are without an admin secret. */
const [greedy, others] = [{ 'x-service-user-id': '1' }, { 'x-service-user-id': '2' }]

const figures: readonly Figure[] = [
  { what: 'p99 / quiet', unit: 'x', over: 'median', compared: 'shared', target: { most: 2 } },
  { what: 'p99', unit: 'ms', over: 'median', compared: 'shared', target: null },
  { what: 'refused', unit: '', over: 'worst', compared: 'shared', target: { most: 0 } },
]

const p99Of = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN

interface Times {
  readonly times: readonly number[]
  readonly refused: number
}

/** Reads of 12 ms by eight clients, each of which needs a connection. */
async function readsOfOthers(trellis: Trellis, seconds: number): Promise<Times> {
  const times: number[] = []
  let refused = 0
  const end = performance.now() + seconds * 1000
  const body = napQuery(0.012, 'nap')
  const client = async () => {
    while (performance.now() < end) {
      await timeRequest(trellis, body, others).then(
        (millis) => times.push(millis),
        () => refused++,
      )
    }
  }
  await Promise.all(Array.from({ length: 8 }, client))
  return { times, refused }
}

const compared = (quiet: Times, beside: Times): number[] => {
  const p99 = p99Of(beside.times)
  return [p99 / p99Of(quiet.times), p99, quiet.refused + beside.refused]
}

/** Slow operations of one socket at a time, and milliseconds until they are running. */
const [slowQueries, slowSubscriptions, headStart] = [60, 16, 500]

const slowSocket: Neighbour = {
  name: 'N7',
  title: `reads of 12 ms of 8 clients, beside ${slowQueries} reads of 1 s of one socket`,
  figures,
  measure: async ({ trellis }) => {
    const quiet = await readsOfOthers(trellis, 2)
    const socket = await BenchSocket.open(trellis, greedy)
    const slow = Array.from({ length: slowQueries }, () => socket.query(napQuery(1, newName()).query))
    await sleep(headStart)
    const [ratio, p99, refused] = compared(quiet, await readsOfOthers(trellis, 1.5))
    const answered = await Promise.all(slow)
    socket.close()
    return [ratio!, p99!, refused! + answered.filter((isAnswered) => !isAnswered).length]
  },
}

/** Subscribers, each on its own socket and to one account. */
const subscribers = 8

/** Milliseconds from a mutation to the row of each subscriber, one after the other. */
async function messagesToOthers(trellis: Trellis, seconds: number): Promise<Times> {
  const times: number[] = []
  const waiting = new Map<number, () => void>()
  const sockets = await Promise.all(Array.from({ length: subscribers }, () => BenchSocket.open(trellis, others)))
  const next = (i: number) => new Promise<void>((resolve) => waiting.set(i, resolve))
  const first = sockets.map((socket, i) => {
    const first = next(i)
    socket.subscribe(`subscription { a${i}: account_by_pk(account_id: ${i + 1}) { balance } }`, () =>
      waiting.get(i)?.(),
    )
    return first
  })
  await Promise.all(first)
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const i = times.length % subscribers
    const message = next(i)
    const began = performance.now()
    await timeRequest(trellis, creditAccount(i + 1), others)
    await message
    times.push(performance.now() - began)
    await sleep(10)
  }
  for (const socket of sockets) socket.close()
  return { times, refused: 0 }
}

const slowSubscriptionsOfOne: Neighbour = {
  name: 'N8',
  title: `live queries of ${subscribers} sockets, beside ${slowSubscriptions} slow subscriptions of one`,
  figures,
  measure: async ({ trellis }) => {
    const quiet = await messagesToOthers(trellis, 2)
    const socket = await BenchSocket.open(trellis, greedy)
    for (let i = 0; i < slowSubscriptions; i++) {
      socket.subscribe(`subscription ${napQuery(20, newName()).query}`, () => {})
    }
    await sleep(headStart)
    const beside = await messagesToOthers(trellis, 3)
    socket.close()
    return compared(quiet, beside)
  },
}

/** Rows in which one caller needs more than its share. */
export const shareNeighbours: readonly Neighbour[] = [slowSocket, slowSubscriptionsOfOne]
