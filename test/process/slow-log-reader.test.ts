// A server whose log is not read for a while, as by a stuck log collector. It is a separate program that logs to a
// pipe.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase } from '../support/database.ts'
import { serverCommand } from '../support/process.ts'
import { eventually } from '../support/waiting.ts'

const moduleOf = (path: string): string => JSON.stringify(new URL(`../../core/${path}`, import.meta.url))

/** Logs this number of lines of a kilobyte, and prints how many megabytes of them it keeps in memory. */
const program = `
  import { once } from 'node:events'
  import { createObserver } from ${moduleOf('log/observe.ts')}
  import { defaultSettings } from ${moduleOf('engine/options.ts')}

  const observe = createObserver(defaultSettings({}))
  const detail = 'x'.repeat(1000)
  const used = () => (gc(), Math.round(process.memoryUsage().heapUsed / 2 ** 20))
  const before = used()
  for (let i = 0; i < 120_000; i++) {
    observe.log({ type: 'unstructured', level: 'info', detail })
    if (i % 1000 === 999) await new Promise((done) => setImmediate(done))
  }
  process.send(used() - before)
  await once(process, 'message')
  observe.log({ type: 'unstructured', level: 'info', detail: 'later' })
  await observe.written()
  process.disconnect()
`

test('a server whose log is not read stops on a signal, with its exit code', { timeout: 60_000 }, async (t) => {
  const { url: database } = await testDatabase(t)
  const args = ['serve', '--server-port', '0', '--database-url', database]
  const [program, ...more] = serverCommand
  const child = spawn(program!, [...more, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  atEnd(t, () => child.kill('SIGKILL'))
  let told = ''
  child.stderr.on('data', (chunk) => {
    told += chunk
  })
  await eventually(() => told.includes('Access'))
  const [, url] = /(http:\/\/localhost:\d+)/.exec(told)!
  const refused = { method: 'POST', body: JSON.stringify({ type: 'x'.repeat(50_000) }) }
  for (let i = 0; i < 20; i++) await (await fetch(`${url}/v1/query`, refused)).text()
  const before = told
  child.kill('SIGTERM')
  const [code, signal] = await once(child, 'exit')
  assert.deepEqual([code, signal, told], [0, null, before])
})

const noDevice = existsSync('/dev/full') ? false : 'there is no device that is full'

test('a server whose log is on a full disk stops on a signal', { skip: noDevice, timeout: 60_000 }, async (t) => {
  const { url: database } = await testDatabase(t)
  const [program, ...more] = serverCommand
  const args = [...more, 'serve', '--server-port', '0', '--database-url', database]
  const child = spawn(program!, args, { stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'] })
  atEnd(t, () => child.kill('SIGKILL'))
  let told = ''
  child.stderr!.on('data', (chunk) => {
    told += chunk
  })
  await eventually(() => told.includes('Access'))
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

const linesPerProgram = 120_000

test('a log that is not read takes bounded memory, and later reports the number of missing lines', {
  timeout: 60_000,
}, async () => {
  const args = ['--expose-gc', '--input-type=module', '--eval', program]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const [megabytes] = await once(child, 'message')
  const lines: { readonly level: string; readonly detail: string }[] = []
  const reading = createInterface({ input: child.stdout! })
  let isContinued = false
  reading.on('line', (line) => {
    lines.push(JSON.parse(line))
    if (isContinued || lines.at(-1)!.level !== 'error') return
    isContinued = true
    child.send({})
  })
  await once(reading, 'close')
  assert.ok(megabytes < 60, `${megabytes} MB`)
  const notices = lines.filter(({ level }) => level === 'error').map(({ detail }) => detail)
  assert.equal(notices.length, 1)
  const [, dropped] = /^(\d+) log lines were dropped because the reader was too slow$/.exec(notices[0]!) ?? []
  assert.equal(lines.length - 2 + Number(dropped), linesPerProgram)
  assert.equal(lines.at(-1)!.detail, 'later')
})
