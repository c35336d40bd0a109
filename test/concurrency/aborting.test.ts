// Work that waits for a signal: what it is told, and what is left of it when it no longer waits.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { onAbort, unlessAborted } from '../../core/concurrency/aborting.ts'

const moduleUrl = new URL('../../core/concurrency/aborting.ts', import.meta.url)

test('all that wait for a signal are told once, whoever went before', () => {
  const controller = new AbortController()
  const told: string[] = []
  const ends = ['a', 'b', 'c', 'd', 'e'].map((name) => onAbort(controller.signal, () => told.push(name)))
  for (const i of [1, 4, 4, 1]) ends[i]!()
  controller.abort()
  controller.abort()
  for (const end of ends) end()
  assert.deepEqual(told.sort(), ['a', 'c', 'd'])
})

test('who comes when it has aborted is told at once', () => {
  const told: string[] = []
  onAbort(AbortSignal.abort(), () => told.push('late'))()
  assert.deepEqual(told, ['late'])
})

test('who is told may go, and may end others that wait', () => {
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

test('a signal has one listener while something waits for it, and none afterwards', () => {
  const { signal } = new AbortController()
  const listeners = () => getEventListeners(signal, 'abort').length
  const ends = Array.from({ length: 3 }, () => onAbort(signal, () => {}))
  assert.equal(listeners(), 1)
  for (const end of ends) end()
  assert.equal(listeners(), 0)
  onAbort(signal, () => {})()
  assert.equal(listeners(), 0)
})

test('work is left to itself with the reason of the signal, and listens no longer when it is done', async () => {
  const controller = new AbortController()
  assert.equal(await unlessAborted(controller.signal, Promise.resolve(1)), 1)
  await assert.rejects(unlessAborted(controller.signal, Promise.reject(new Error('failed'))), /failed/)
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0)
  const waiting = unlessAborted(controller.signal, new Promise(() => {}))
  controller.abort(new Error('enough'))
  await assert.rejects(waiting, /enough/)
})

// Only what is collected often is collected here, so that what becomes old stays, and can be counted.
const program = `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { onAbort } from ${JSON.stringify(moduleUrl)}
  const { signal } = new AbortController()
  const old = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_used_size
  const waitFor = (work) => onAbort(signal, () => work)
  let end = waitFor({})
  // The first one becomes old.
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

test('work that no longer waits is forgotten soon, though others came before it went', async () => {
  const args = ['--expose-gc', '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  assert.ok(Number(stdout) < 4, `of 16 MB ${stdout.trim()} are kept`)
})
