import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GivenSettings, Settings } from '../../core/engine/options.ts'
import { defaultSettings } from '../../core/engine/options.ts'
import { createObserver, type LogEntry } from '../../core/log/observe.ts'
import type { LogDestination } from '../../core/log/standard-output.ts'

function written(settings: GivenSettings, entries: readonly LogEntry[]) {
  const texts: string[] = []
  const destination: LogDestination = { write: (lines) => texts.push(lines), flushSync: () => {} }
  const observe = createObserver(defaultSettings(settings), destination)
  for (const entry of entries) observe.log(entry)
  observe.flush()
  return { observe, lines: texts.join('').split('\n').slice(0, -1) }
}

function observed(settings: GivenSettings, entries: readonly LogEntry[]) {
  const { observe, lines } = written(settings, entries)
  return { observe, lines: lines.map((line) => JSON.parse(line)) }
}

const unstructured = (level: LogEntry['level']): LogEntry => ({ type: 'unstructured', level, detail: level })

const lost: LogEntry = { type: 'pg-client', level: 'warn', detail: { message: 'a "b"\nc' } }

test('an entry is a line of timestamp, level, type and detail, with msg and time for the tools of pino', () => {
  const before = Date.now()
  const [{ timestamp, time, ...line }] = observed({}, [lost]).lines
  assert.deepEqual(line, { level: 'warn', type: 'pg-client', msg: 'a "b"', detail: { message: 'a "b"\nc' } })
  assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/)
  assert.equal(new Date(timestamp.replace('+0000', 'Z')).getTime(), time)
  assert.ok(time >= before && time <= Date.now())
})

test('a line of the other dialect has the members of v1.3 and no more', () => {
  const [{ timestamp, ...line }] = observed({ dialect: 'hasura' }, [lost]).lines
  assert.deepEqual(line, { level: 'warn', type: 'pg-client', detail: { message: 'a "b"\nc' } })
  assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/)
})

test('an entry that cannot be written is replaced by a line that says so, and delays no other line', () => {
  const circle: Record<string, unknown> = { name: 'guests' }
  circle['itself'] = circle
  const details: readonly (readonly [type: string, detail: unknown, words: RegExp])[] = [
    ['guests', { forgotten: 10n }, /^a line of type guests cannot be written: .*BigInt: \{ forgotten: 10n \}$/],
    [
      'guests',
      circle,
      /^a line of type guests cannot be written: .*circular.*: <ref \*1> \{ name: 'guests', itself: \[Circular \*1\] \}$/,
    ],
    ['unstructured', new Error('lost'), /^a line of type unstructured cannot be written: .*: Error: lost/],
  ]
  const entries = details.map(([type, detail]) => ({ type, level: 'info', detail }) as never)
  const { lines } = observed({}, [lost, ...entries, lost])
  assert.equal(lines.length, details.length + 2)
  for (const [i, [, , words]] of details.entries()) {
    const { type, level, detail } = lines[i + 1]
    assert.deepEqual([type, level], ['unstructured', 'info'])
    assert.match(detail.replaceAll('\n', ' '), words)
  }
  assert.match(written({ logFormat: 'pretty' }, entries).lines.join(), /cannot be written: .*: Error: lost/)
})

test('entries below the level are not written', () => {
  const all = (['debug', 'info', 'warn', 'error', 'critical'] as const).map(unstructured)
  const at = (logLevel: Settings['logLevel']) => observed({ logLevel }, all).lines.map(({ level }) => level)
  assert.deepEqual(at('debug'), ['debug', 'info', 'warn', 'error', 'critical'])
  assert.deepEqual(at('info'), ['info', 'warn', 'error', 'critical'])
  assert.deepEqual(at('error'), ['error', 'critical'])
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

test('the message summarizes the event in a few words', () => {
  const failed = answered(400)
  const error = { path: '$', error: 'no such\ntable', code: 'not-exists' }
  if (failed.type === 'http-log') Object.assign(failed.detail.operation, { error })
  const server: LogEntry = { type: 'startup', level: 'info', detail: { kind: 'server_configuration', info: {} } }
  const entries = [answered(200), failed, server, unstructured('info'), lost]
  assert.deepEqual(
    observed({}, entries).lines.map(({ msg }) => msg),
    ['POST /v1/graphql 200', 'POST /v1/graphql 400: no such', 'server configuration', 'info', 'a "b"'],
  )
})

/** Pretty lines, the time of day left out. */
function pretty(entries: readonly LogEntry[]): string[] {
  const { lines } = written({ logFormat: 'pretty', enabledLogTypes: ['startup', 'http-log', 'query-log'] }, entries)
  return lines.map((line) => line.replace(/^\d\d:\d\d:\d\d\.\d{3} /, ''))
}

test('a pretty line has time, level, type, message, duration and role', () => {
  const request = answered(200)
  const times = { request_read_time: 0, query_execution_time: 0.0081, user_vars: { 'x-service-role': 'clerk' } }
  if (request.type === 'http-log') Object.assign(request.detail.operation, times)
  const info = { message: 'starting API server', port: 8080 }
  assert.deepEqual(pretty([request, { type: 'startup', level: 'info', detail: { kind: 'server', info } }]), [
    'INFO  http-log POST /v1/graphql 200 8.1 ms clerk',
    'INFO  startup starting API server port=8080',
  ])
})

test('pretty lines show stacks, statements and inconsistent objects below', () => {
  const sql = { query: 'select 1', prepared_arguments: [] }
  const query = { query: 'query a { b }', operationName: 'a' }
  const objects = Array.from({ length: 25 }, (_, i) => ({ type: 'table', definition: {}, reason: `no table ${i}` }))
  const lines = pretty([
    { type: 'unstructured', level: 'critical', detail: 'Error: x\n    at y' },
    { type: 'query-log', level: 'info', detail: { request_id: '1', query, generated_sql: { b: sql, c: null } } },
    { type: 'metadata', level: 'warn', detail: { message: 'Inconsistent Metadata!', info: { objects } } },
  ])
  assert.deepEqual(lines.slice(0, 6), [
    'CRIT  unstructured Error: x',
    '        at y',
    'INFO  query-log query a',
    '    select 1',
    'WARN  metadata Inconsistent Metadata!',
    '    no table 0',
  ])
  assert.equal(lines.at(-1), '    and 5 more')
})

test('text of clients cannot control a terminal or look like a separate line', () => {
  const failed = answered(400)
  const error = { path: '$', error: 'a\u001b[31mb\u009b2J\u202ec', code: 'x' }
  if (failed.type === 'http-log') Object.assign(failed.detail.operation, { error })
  assert.deepEqual(pretty([failed]), ['ERROR http-log POST /v1/graphql 400: a\\u001b[31mb\\u009b2J\\u202ec'])
  const [, second] = pretty([{ type: 'unstructured', level: 'error', detail: 'x\nINFO  startup y\r' }])
  assert.equal(second, '    INFO  startup y\\u000d')
})

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
