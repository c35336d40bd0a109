// When jobs are due.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { occurrencesOf, type Schedule } from '../../plugins/jobs/index.ts'

/** The next times after a moment. */
function after(schedule: Schedule, moment: string, count: number): string[] {
  const { next } = occurrencesOf(schedule)
  const found: number[] = []
  while (found.length < count) found.push(next(found.at(-1) ?? Date.parse(moment))!)
  return found.map((time) => new Date(time).toISOString().slice(5, 16))
}

const berlin = (cron: string) => ({ cron, timezone: 'Europe/Berlin' })

test('cron expressions are in UTC unless they name a time zone', () => {
  assert.deepEqual(after({ cron: '30 4 * * 1-5' }, '2026-01-02T12:00:00Z', 2), ['01-05T04:30', '01-06T04:30'])
  assert.deepEqual(after({ cron: '0 9 1 * *', timezone: 'Asia/Kolkata' }, '2026-01-02T12:00:00Z', 2), [
    ...['02-01T03:30', '03-01T03:30'],
  ])
})

test('a time that a clock change skips is due at the change; a repeated time is due once', () => {
  assert.deepEqual(after(berlin('30 2 * * *'), '2026-03-27T12:00:00Z', 3), [
    '03-28T01:30',
    '03-29T01:00',
    '03-30T00:30',
  ])
  assert.deepEqual(after(berlin('30 2 * * *'), '2026-10-23T12:00:00Z', 3), [
    '10-24T00:30',
    '10-25T00:30',
    '10-26T01:30',
  ])
})

test('the same holds for lists, ranges and steps, and never twice at one moment', () => {
  const forward = '2026-03-28T12:00:00Z'
  assert.deepEqual(after(berlin('30 2,14 * * *'), forward, 3), ['03-28T13:30', '03-29T01:00', '03-29T12:30'])
  assert.deepEqual(after(berlin('0,30 2 * * *'), forward, 2), ['03-29T01:00', '03-30T00:00'])
  assert.deepEqual(after(berlin('30 1-3 * * *'), forward, 3), ['03-29T00:30', '03-29T01:00', '03-29T01:30'])
  assert.deepEqual(after(berlin('0 */2 * * *'), '2026-03-29T00:00:00Z', 2), ['03-29T01:00', '03-29T02:00'])
  assert.deepEqual(after(berlin('0 2,3 * * *'), '2026-03-29T00:00:00Z', 2), ['03-29T01:00', '03-30T00:00'])
  const back = '2026-10-24T22:30:00Z'
  assert.deepEqual(after(berlin('30 2,14 * * *'), back, 2), ['10-25T00:30', '10-25T13:30'])
  assert.deepEqual(after(berlin('0,30 2 * * *'), back, 3), ['10-25T00:00', '10-25T00:30', '10-26T01:00'])
  assert.deepEqual(after(berlin('0 */2 * * *'), back, 2), ['10-25T00:00', '10-25T03:00'])
})

test('a day skipped by a time zone is made up for after it', () => {
  const apia = (cron: string) => ({ cron, timezone: 'Pacific/Apia' })
  assert.deepEqual(after(apia('0 9 30 12 *'), '2011-12-01T00:00:00Z', 2), ['12-30T10:00', '12-29T19:00'])
})

test('intervals of minutes continue through a clock change', () => {
  assert.deepEqual(after(berlin('*/30 * * * *'), '2026-03-29T00:30:00Z', 2), ['03-29T01:00', '03-29T01:30'])
  assert.deepEqual(after(berlin('*/30 * * * *'), '2026-10-25T00:00:00Z', 3), [
    '10-25T00:30',
    '10-25T01:00',
    '10-25T01:30',
  ])
  assert.deepEqual(after(berlin('15 * * * *'), '2026-10-25T00:00:00Z', 3), [
    '10-25T00:15',
    '10-25T01:15',
    '10-25T02:15',
  ])
})

test('searches backward and forward give the same occurrences, also across clock changes', () => {
  const crons = ['30 2 * * *', '*/20 * * * *', '15 1,2,3 * * 0', '*/20 2 * * *', '0 0 29 2 *', '0 12 31 * *']
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia']
  for (const cron of crons) {
    for (const timezone of zones) {
      const { next, latest } = occurrencesOf({ cron, timezone })
      let before: number | null = null
      let time = Date.parse('2026-03-01T00:00:00Z')
      for (let i = 0; i < 120; i++) {
        time = next(time)!
        if (time > Date.parse('2033-01-01')) break
        const fresh = occurrencesOf({ cron, timezone })
        assert.equal(fresh.latest(time), time)
        if (before !== null) assert.deepEqual([fresh.latest(time - 1), latest(time - 1)], [before, before])
        before = time
      }
    }
  }
})

test('intervals are counted from 1970, a single time is due once', () => {
  assert.deepEqual(after({ every: 900_000 }, '2026-01-01T00:07:12.345Z', 2), ['01-01T00:15', '01-01T00:30'])
  const at = new Date('2026-05-05T05:05:05.555Z')
  const { latest, next } = occurrencesOf({ at })
  assert.deepEqual([next(at.getTime() - 1), next(at.getTime())], [at.getTime(), null])
  assert.deepEqual([latest(at.getTime() - 1), latest(at.getTime())], [null, at.getTime()])
})

test('schedules that are never due are refused', () => {
  assert.throws(() => occurrencesOf({ cron: '0 0 31 2 *' }), {
    name: 'TypeError',
    message: '"0 0 31 2 *" is not a cron expression: it is never due',
  })
})
