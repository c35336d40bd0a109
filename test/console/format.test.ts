import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatAgo, formatTime } from '../../console/src/base/format.ts'
import { jsonLine } from '../../console/src/base/json.ts'

test('a time since then is in its largest unit', () => {
  const at = '2026-03-01T12:00:00.000Z'
  const after = (seconds: number) => formatAgo(at, Date.parse(at) + seconds * 1000)
  assert.deepEqual([0, 59, 60, 3599, 3600, 86_399, 86_400, 9_000_000].map(after), [
    '0s ago',
    '59s ago',
    '1m ago',
    '59m ago',
    '1h ago',
    '23h ago',
    '1d ago',
    '104d ago',
  ])
  // The clock of the browser may be behind that of the server.
  assert.equal(after(-5), '0s ago')
  assert.deepEqual([formatAgo(''), formatAgo('soon')], ['', 'soon'])
})

test('times are written in one way, and a text that is not a time stays', () => {
  const pattern = /^Nov \d+, 2026, \d\d:\d\d:\d\d$/
  assert.match(formatTime('2026-11-15T14:03:21Z'), pattern)
  assert.match(formatTime(Date.parse('2026-11-15T14:03:21Z')), pattern)
  assert.equal(formatTime('infinity'), 'infinity')
})

test('JSON in one line has spaces between its members alone', () => {
  const value = { columns: ['a', 'b [ c'], filter: { a: { _eq: '{ 1,\n2 }' } }, none: [], empty: {}, first: [[1], [2]] }
  const line =
    '{"columns": ["a", "b [ c"], "filter": {"a": {"_eq": "{ 1,\\n2 }"}}, "none": [], "empty": {}, "first": [[1], [2]]}'
  assert.equal(jsonLine(value), line)
  assert.deepEqual(JSON.parse(line), value)
})
