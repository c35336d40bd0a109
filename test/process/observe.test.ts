import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createObserver, type LogDestination, type LogEntry } from '../../core/observe.ts'
import type { Settings } from '../../core/options.ts'
import { defaultSettings } from '../../core/options.ts'

function observed(settings: Partial<Settings>, entries: readonly LogEntry[]) {
  const texts: string[] = []
  const destination: LogDestination = { write: (lines) => texts.push(lines), flushSync: () => {} }
  const observe = createObserver(defaultSettings(settings), destination)
  for (const entry of entries) observe.log(entry)
  observe.flush()
  const lines = texts.join('').split('\n').slice(0, -1)
  return { observe, lines: lines.map((line) => JSON.parse(line)) }
}

const unstructured = (level: LogEntry['level']): LogEntry => ({ type: 'unstructured', level, detail: level })

test('an entry is a line of timestamp, level, type and detail', () => {
  const { lines } = observed({}, [{ type: 'pg-client', level: 'warn', detail: { message: 'a "b"\n' } }])
  const [{ timestamp, ...line }] = lines
  assert.deepEqual(line, { level: 'warn', type: 'pg-client', detail: { message: 'a "b"\n' } })
  assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/)
})

test('entries below the level are not written', () => {
  const all = (['debug', 'info', 'warn', 'error', 'critical'] as const).map(unstructured)
  const written = (logLevel: Settings['logLevel']) => observed({ logLevel }, all).lines.map(({ level }) => level)
  assert.deepEqual(written('debug'), ['debug', 'info', 'warn', 'error', 'critical'])
  assert.deepEqual(written('info'), ['info', 'warn', 'error', 'critical'])
  assert.deepEqual(written('error'), ['error', 'critical'])
})

test('configurable types are written when enabled, all others always', () => {
  const startup: LogEntry = { type: 'startup', level: 'info', detail: { kind: 'server', info: {} } }
  const { lines, observe } = observed({ enabledLogTypes: ['query-log'] }, [startup, unstructured('info')])
  assert.deepEqual(
    lines.map(({ type }) => type),
    ['unstructured'],
  )
  assert.equal(observe.isEnabled('query-log', 'info'), true)
  assert.equal(observe.isEnabled('http-log', 'error'), false)
  assert.equal(observe.isEnabled('metadata', 'debug'), false)
})

const answered = (status: number): LogEntry => {
  const request = { method: 'POST', ip: '::1', url: '/v1/graphql', http_version: 'HTTP/1.1', content_encoding: null }
  return {
    type: 'http-log',
    level: status < 400 ? 'info' : 'error',
    detail: { http_info: { status, ...request }, operation: { request_id: String(status) } },
  }
}

test('lines of all kinds come in the order in which they were logged', () => {
  const entries = [answered(200), unstructured('info'), answered(201), answered(404), answered(202)]
  const { lines } = observed({}, entries)
  assert.deepEqual(
    lines.map(({ type, detail }) => (type === 'http-log' ? detail.http_info.status : detail)),
    [200, 'info', 201, 404, 202],
  )
})

test('lines do not wait for the end: many are written at once, few after a moment', async () => {
  const written: string[] = []
  const observe = createObserver(defaultSettings({}), {
    write: (lines) => void written.push(...lines.split('\n').slice(0, -1)),
    flushSync: () => {},
  })
  for (let i = 0; i < 1000; i++) observe.log(answered(200))
  assert.ok(written.length > 900, `${written.length} of 1000 are written`)
  while (written.length < 1000) await new Promise((later) => setTimeout(later, 10))
  assert.equal(written.length, 1000)
})
