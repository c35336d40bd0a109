// The connection for health checks of the database.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Probe } from '../../core/database/placing/probe.ts'
import type { AnsweringClient } from '../../core/database/wire/answering-client.ts'

/** A client that answers, or keeps silent. */
const clientThat = (does: 'answers' | 'keeps silent') => {
  const client = {
    isGone: false,
    query: () => (does === 'answers' ? Promise.resolve({ rows: [] }) : new Promise(() => {})),
    once: () => {},
    destroy() {
      client.isGone = true
    },
  }
  return client
}

test('a connection that opens after the timeout serves the next probe', async () => {
  const made = Promise.withResolvers<AnsweringClient>()
  let connects = 0
  const connect = () => {
    connects++
    return made.promise
  }
  const probe = new Probe({ connect, timeoutMillis: 20 })
  assert.equal(await probe.answers(), false)
  const client = clientThat('answers')
  made.resolve(client as unknown as AnsweringClient)
  assert.equal(await probe.answers(), true)
  assert.deepEqual([connects, client.isGone], [1, false])
})

test('a connection without answers is dropped, and the next probe gets another one', async () => {
  const clients = [clientThat('keeps silent'), clientThat('answers')]
  const left = [...clients]
  const connect = async () => left.shift() as unknown as AnsweringClient
  const probe = new Probe({ connect, timeoutMillis: 20 })
  assert.equal(await probe.answers(), false)
  assert.equal(await probe.answers(), true)
  assert.deepEqual(
    clients.map(({ isGone }) => isGone),
    [true, false],
  )
})

test('a connection that is opening while the probe closes is closed once it is open', async () => {
  const made = Promise.withResolvers<AnsweringClient>()
  const probe = new Probe({ connect: () => made.promise, timeoutMillis: 20 })
  assert.equal(await probe.answers(), false)
  await probe.close()
  const client = clientThat('answers')
  made.resolve(client as unknown as AnsweringClient)
  await turn()
  assert.equal(client.isGone, true)
})
