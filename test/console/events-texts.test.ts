import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cronWords } from '../../console/src/pages/events/cron-words.ts'
import { LogFilterFault, payloadFilter, sessionFilter } from '../../console/src/pages/events/log-filter.ts'

test('a schedule in words', () => {
  const words: Readonly<Record<string, string | null>> = {
    '* * * * *': 'every minute, every day',
    '*/5 * * * *': 'every 5 minutes, every day',
    '0 2 * * *': 'at 02:00, every day',
    '@weekly': 'at 00:00, on Sunday',
    '30 9,17 * * 1-5': 'at 09:30 and 17:30, on Monday to Friday',
    '5 * * * *': 'at minute 5 of every hour, every day',
    '0,30 9-17 * * *': 'at minutes 0 and 30 of the hours 9 to 17, every day',
    '0 */6 1,15 * *': 'at minute 0 of every 6 hours, on day 1 and 15 of the month',
    '0 0 1 1-3,6 *': 'at 00:00, on day 1 of the month, in January to March and June',
    '0 0 13 * 5': 'at 00:00, on day 13 of the month or on Friday',
    '10-50/20 * * */2 *': 'at minutes every 20 from 10 to 50 of every hour, every day, every 2 months',
    '0 0 * *': null,
    'at noon': null,
  }
  assert.deepEqual(Object.fromEntries(Object.keys(words).map((text) => [text, cronWords(text)])), words)
})

test('filters of the log name values of columns and session variables', () => {
  assert.equal(payloadFilter(' ', ''), undefined)
  assert.deepEqual(payloadFilter('name = Rock and old.id = 4', 'UPDATE'), {
    data: { old: { id: 4 }, new: { name: 'Rock' } },
  })
  assert.deepEqual(payloadFilter(`"odd ""name" = 'it''s and more' and is_open = true`, ''), {
    data: { new: { 'odd "name': "it's and more", is_open: true } },
  })
  assert.deepEqual(payloadFilter('name = null', 'DELETE'), { data: { old: { name: null } } })
  assert.deepEqual(payloadFilter('{"op": "MANUAL"}', ''), { op: 'MANUAL' })
  assert.deepEqual(sessionFilter('role = clerk and X-Service-User-Id = 2', 'x-service-'), {
    'x-service-role': 'clerk',
    'x-service-user-id': '2',
  })
  for (const text of ['{', 'name', '= 4', 'name = 1 and id']) {
    assert.throws(() => payloadFilter(text, ''), LogFilterFault, text)
  }
})
