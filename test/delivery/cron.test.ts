import assert from 'node:assert/strict'
import { test } from 'node:test'
import { occurrencesAfter, readCron } from '../../plugins/delivery/cron.ts'

function times(schedule: string, timezone: string, after: string, count: number): string[] {
  const now = new Date(after)
  const found = occurrencesAfter({ schedule: readCron(schedule), timezone }, now, { now, most: 1, ahead: count })
  return found.map((time) => time.toISOString().slice(5, 16))
}

test('either day may match when both are restricted, and Sunday is 0 and 7', () => {
  assert.deepEqual(times('0 0 13 * 5', 'UTC', '2026-01-01T00:00:00Z', 3), ['01-02T00:00', '01-09T00:00', '01-13T00:00'])
  for (const sunday of ['0', '7']) {
    assert.deepEqual(times(`0 0 * * ${sunday}`, 'UTC', '2026-01-01T00:00:00Z', 1), ['01-04T00:00'])
  }
  assert.deepEqual(times('0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', 1), ['02-29T00:00'])
  assert.deepEqual(times('5/20 1-3/2 * * *', 'UTC', '2026-01-01T00:00:00Z', 4), [
    '01-01T01:05',
    '01-01T01:25',
    '01-01T01:45',
    '01-01T03:05',
  ])
})

test('a time that the clock skips is due right after the change, and no moment twice', () => {
  assert.deepEqual(times('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2), ['03-29T01:00', '03-30T00:30'])
  assert.deepEqual(times('30 2,3 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 3), [
    '03-29T01:00',
    '03-29T01:30',
    '03-30T00:30',
  ])
  assert.deepEqual(times('0 * * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z', 2), ['03-29T01:00', '03-29T02:00'])
})

test('a time that the clock shows twice is due once; hourly schedules stay hourly', () => {
  assert.deepEqual(times('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2), ['10-25T00:30', '10-26T01:30'])
  assert.deepEqual(times('0 * * * *', 'Europe/Berlin', '2026-10-24T23:20:00Z', 3), [
    '10-25T00:00',
    '10-25T01:00',
    '10-25T02:00',
  ])
})
