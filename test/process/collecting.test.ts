// The server's settings for V8's collector. Each check runs in a process of its own, where V8 prints its decisions.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const collecting = new URL('../../process/v8.ts', import.meta.url)

/** Makes objects at one place in the code that live on for a while, as requests do while there is little room. */
const program = (before: string) => `
  ${before}
  const make = (i) => [i, i, i, i]
  for (let round = 0; round < 8; round++) {
    const kept = []
    for (let i = 0; i < 300_000; i++) kept.push(make(i))
  }
`

/** V8's report about places whose objects it allocates in the old generation. */
async function madeOld(before: string): Promise<string[]> {
  // V8 decides it where new objects have no more room to come.
  const args = ['--max-semi-space-size=1', '--trace-pretenuring-statistics', '--input-type=module', '--eval']
  const { stdout } = await promisify(execFile)(process.execPath, [...args, program(before)])
  return stdout.match(/ tenured=[1-9]\d*/g) ?? []
}

test('new objects are never promoted at once, even after many survivors', async () => {
  const told = `import { collectAsServer } from ${JSON.stringify(collecting)}\ncollectAsServer()`
  assert.notDeepEqual(await madeOld(''), [], 'what V8 does by itself')
  assert.deepEqual(await madeOld(told), [])
})

/** The full collections of a process that keeps each object for a while, as requests that wait for other servers do. */
async function fullCollections(before: string): Promise<number> {
  const work = `
    import { setTimeout as sleep } from 'node:timers/promises'
    import { collectAsServer, growWithRequests } from ${JSON.stringify(collecting)}
    ${before}
    const waiting = []
    for (let round = 0; round < 150; round++) {
      waiting.push(Array.from({ length: 10_000 }, (_, i) => ({ i, list: [i] })))
      if (waiting.length > 20) waiting.shift()
      await sleep(0)
    }
    process.exit()
  `
  const args = ['--max-semi-space-size=1', '--trace-gc', '--input-type=module', '--eval', work]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return stdout.match(/ Mark-Compact /g)?.length ?? 0
}

test('a small heap may grow by more than its size before it is collected', async () => {
  const [frugal, served] = await Promise.all(
    ['collectAsServer()', 'collectAsServer(); growWithRequests()'].map(fullCollections),
  )
  assert.ok(served! * 2 <= frugal!, `${served} full collections, ${frugal} without growth`)
})

/** The full collections of a process with a large heap that makes buffers for an answer of 200 MB. */
async function collectionsOfBuffers(before: string): Promise<number> {
  const work = `
    import { setTimeout as sleep } from 'node:timers/promises'
    import { collectAsServer, growWithRequests } from ${JSON.stringify(collecting)}
    collectAsServer()
    const kept = Array.from({ length: 3_000_000 }, (_, i) => ({ i, list: [i] }))
    growWithRequests()
    globalThis.gc()
    await sleep(100)
    globalThis.gc()
    ${before}
    console.log('begin')
    const buffers = []
    for (let i = 0; i < 200; i++) {
      buffers.push(Buffer.alloc(1024 * 1024, 1))
      await sleep(1)
    }
    process.exit(kept.length + buffers.length > 0 ? 0 : 1)
  `
  const args = ['--expose-gc', '--trace-gc', '--input-type=module', '--eval', work]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return stdout.slice(stdout.indexOf('begin')).match(/ Mark-Compact /g)?.length ?? 0
}

test('a large heap has room for the buffers of a large answer', async () => {
  const own = `const v8 = await import('node:v8')
    v8.setFlagsFromString('--no-external-memory-accounted-in-global-limit')`
  assert.ok((await collectionsOfBuffers(own)) > 0, 'what V8 does by itself')
  assert.equal(await collectionsOfBuffers(''), 0)
})

/**
 * The full collections that a process asks for after a large piece of work, and the calls after them. `meanwhile` runs every
 * 10 ms, `afterwards` in each of the calls. A process that is idle ends some checks after the first call.
 */
async function askedCollections({ meanwhile = '', afterwards = '' }) {
  const work = `
    import { collectWhenIdle } from ${JSON.stringify(collecting)}
    collectWhenIdle(async () => {
      console.log('called')
      setTimeout(() => process.exit(), 1000)
      ${afterwards}
    }, 100)
    let kept = Array.from({ length: 2_000_000 }, (_, i) => ({ i, list: [i] }))
    kept = null
    setInterval(() => { ${meanwhile} }, 10)
    setTimeout(() => process.exit(), ${meanwhile === '' ? 30_000 : 1500})
  `
  const { stdout } = await promisify(execFile)(process.execPath, ['--trace-gc', '--input-type=module', '--eval', work])
  const count = (pattern: RegExp) => stdout.match(pattern)?.length ?? 0
  return { collections: count(/ Mark-Compact .* testing;/g), calls: count(/called/g) }
}

test('an idle server gives back the memory of large requests; a busy one is not interrupted', async () => {
  const busy = 'for (const end = performance.now() + 3; performance.now() < end; );'
  const [idle, working] = await Promise.all([askedCollections({}), askedCollections({ meanwhile: busy })])
  assert.ok(idle.collections > 0)
  assert.ok(idle.calls > 0)
  assert.deepEqual(working, { collections: 0, calls: 0 })
})

test('work after a collection runs once, and its garbage leads to no other collection', async () => {
  const idle = await askedCollections({})
  const garbage = 'Array.from({ length: 2_000_000 }, (_, i) => ({ i, list: [i] }))'
  const { calls, collections } = await askedCollections({ afterwards: garbage })
  assert.equal(calls, 1)
  // V8 may have collected by itself before.
  assert.ok(collections <= idle.collections, `${collections} of ${idle.collections}`)
})
