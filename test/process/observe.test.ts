import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createObserver, type LogDestination, type LogEntry } from '../../core/observe.ts'
import type { Settings } from '../../core/options.ts'
import { defaultSettings } from '../../core/options.ts'

function observed(settings: Partial<Settings>, entries: readonly LogEntry[]) {
  const lines: string[] = []
  const destination: LogDestination = { write: (line) => lines.push(line), flushSync: () => {} }
  const observe = createObserver(defaultSettings(settings), destination)
  for (const entry of entries) observe.log(entry)
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
