// Callbacks of an abort signal, and the memory that they keep alive.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { onAbort, unlessAborted } from '../../core/concurrency/aborting.ts'

const moduleUrl = new URL('../../core/concurrency/aborting.ts', import.meta.url)

test('every waiting callback runs once, whichever callbacks were removed before', () => {
  const controller = new AbortController()
  const told: string[] = []
  const ends = ['a', 'b', 'c', 'd', 'e'].map((name) => onAbort(controller.signal, () => told.push(name)))
  for (const i of [1, 4, 4, 1]) ends[i]!()
  controller.abort()
  controller.abort()
  for (const end of ends) end()
  assert.deepEqual(told.sort(), ['a', 'c', 'd'])
})

test('a callback runs at once if the signal has already aborted', () => {
  const told: string[] = []
  onAbort(AbortSignal.abort(), () => told.push('late'))()
  assert.deepEqual(told, ['late'])
})

test('a callback may remove itself and others', () => {
  const controller = new AbortController()
  const told: string[] = []
  const first = onAbort(controller.signal, () => {
    told.push('first')
    first()
    second()
  })
  const second = onAbort(controller.signal, () => told.push('second'))
  controller.abort()
  assert.deepEqual(told, ['first'])
})

test('a signal has one listener while callbacks wait, and no listener afterwards', () => {
  const { signal } = new AbortController()
  const listeners = () => getEventListeners(signal, 'abort').length
  const ends = Array.from({ length: 3 }, () => onAbort(signal, () => {}))
  assert.equal(listeners(), 1)
  for (const end of ends) end()
  assert.equal(listeners(), 0)
  onAbort(signal, () => {})()
  assert.equal(listeners(), 0)
})

test('an abort rejects with the reason of the signal, and finished work removes its listener', async () => {
  const controller = new AbortController()
  assert.equal(await unlessAborted(controller.signal, Promise.resolve(1)), 1)
  await assert.rejects(unlessAborted(controller.signal, Promise.reject(new Error('failed'))), /failed/)
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0)
  const waiting = unlessAborted(controller.signal, new Promise(() => {}))
  controller.abort(new Error('enough'))
  await assert.rejects(waiting, /enough/)
})

// Only the young generation is collected here, so that objects that got old stay and can be counted.
const program = `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { onAbort } from ${JSON.stringify(moduleUrl)}
  const { signal } = new AbortController()
  const old = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_used_size
  const waitFor = (work) => onAbort(signal, () => work)
  let end = waitFor({})
  // The first object moves to the old generation.
  for (let i = 0; i < 3; i++) gc({ type: 'minor' })
  const before = old()
  for (let i = 0; i < 20_000; i++) {
    const next = waitFor({ numbers: new Array(100).fill(i) })
    end()
    end = next
    if (i % 100 === 0) gc({ type: 'minor' })
  }
  console.log(Math.round((old() - before) / 2 ** 20))
`

test('removed callbacks are freed soon, even if later ones were added before the removal', async () => {
  const args = ['--expose-gc', '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  assert.ok(Number(stdout) < 4, `of 16 MB ${stdout.trim()} are kept`)
})
