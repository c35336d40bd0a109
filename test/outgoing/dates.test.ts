// Dates and ages in response headers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerExpiry, freshnessOf } from '../../core/outgoing/answer/freshness.ts'
import { httpDate, retryAfterOf } from '../../core/outgoing/answer/http-date.ts'
import fc from '../support/fast-check.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const dateAt = (seconds: number) => new Date(now + seconds * 1000).toUTCString()

test('dates are read in the three forms of HTTP', () => {
  const expected = Date.parse('1994-11-06T08:49:37Z')
  for (const text of ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994']) {
    assert.equal(httpDate(text, now), expected, text)
  }
  assert.equal(httpDate('Sun Nov 16 08:49:37 1994', now), Date.parse('1994-11-16T08:49:37Z'))
  assert.equal(httpDate('Thursday, 06-Nov-76 08:49:37 GMT', now), Date.parse('2076-11-06T08:49:37Z'))
  assert.equal(httpDate('Thursday, 06-Nov-77 08:49:37 GMT', now), Date.parse('1977-11-06T08:49:37Z'))
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
      assert.equal(httpDate(date.toUTCString(), now), Math.floor(date.getTime() / 1000) * 1000)
    }),
  )
})

test('other texts are not dates', () => {
  const wrong = ['0', '-1', '', '1585574718', '2020-03-30', '2020-03-30T00:00:00Z', 'Sun, 6 Nov 1994 08:49:37 GMT']
  const wronger = ['Sun, 06 Nov 1994 08:49:37 UTC', 'Sun, 06 Nov 1994 24:49:37 GMT', 'sun, 06 nov 1994 08:49:37 gmt']
  const wrongest = ['Mon, 30 Feb 2026 00:00:00 GMT', 'Mon, 00 Mar 2026 00:00:00 GMT', 'Sun Nov 99 08:49:37 1994']
  for (const text of [...wrong, ...wronger, ...wrongest]) assert.equal(httpDate(text, now), null, text)
})

test('the lifetime comes from max-age or s-maxage, otherwise from Expires', () => {
  const date = 'Mon, 30 Mar 2020 13:25:18 GMT'
  const at = (cacheControl?: string, expires?: string) => freshnessOf(cacheControl, expires, 1000).expiresAt
  assert.equal(at('max-age=600'), 601_000)
  assert.equal(at('public, S-MaxAge = 5, max-age=9'), 6000)
  assert.equal(at('private,max-age="2"'), 3000)
  assert.equal(at('max-age=0', date), 1000)
  assert.equal(at('no-store', date), Date.parse(date))
  assert.equal(at(undefined, date), Date.parse(date))
  assert.equal(freshnessOf(undefined, 'Monday, 30-Mar-20 13:25:18 GMT', now).expiresAt, Date.parse(date))
  for (const bad of ['max-age', 'max-age=-1', 'x-max-age=5', 'max-age=soon', 'private="max-age=5"', '']) {
    assert.deepEqual(freshnessOf(bad, undefined, 0), {
      expiresAt: null,
      problems: ['Cache-Control holds neither max-age nor s-maxage'],
    })
  }
  for (const bad of ['0', '2020-03-30', '1585574718', 'Mon, 99 Mar 2020 13:25:18 GMT', '']) {
    assert.equal(freshnessOf(undefined, bad, 0).expiresAt, null)
    assert.equal(freshnessOf(undefined, bad, 0).problems.length, 1)
  }
  assert.deepEqual(freshnessOf(undefined, undefined, 0), { expiresAt: null, problems: [] })
})

/** The lifetime in seconds of a response with these headers; null: not specified. */
function heldFor(headers: Record<string, string | string[]>): number | null {
  const at = answerExpiry(headers, now)
  return at === null ? null : (at - now) / 1000
}

test('a response that must not be cached expires at once, in every form', () => {
  const forms: Record<string, string | string[]>[] = [
    { 'cache-control': 'no-store' },
    { 'cache-control': 'No-Store, max-age=3600' },
    { 'cache-control': 'max-age=3600, no-cache' },
    { 'cache-control': ['public', 'no-cache'] },
    { 'cache-control': 'max-age=0' },
    { 'cache-control': 's-maxage=0, max-age=60' },
    { 'cache-control': 'max-age=soon' },
    { 'cache-control': 'max-age=-5' },
    { 'cache-control': 'must-revalidate' },
    { 'cache-control': 'max-age=60', age: '60' },
    { 'cache-control': 'max-age=60', age: '61' },
    { expires: '0' },
    { expires: '-1' },
    { expires: '' },
    { expires: 'soon' },
    { expires: dateAt(0), date: dateAt(0) },
    { expires: dateAt(-60) },
    { expires: dateAt(3600), date: dateAt(3600) },
    { expires: 'Sunday, 06-Nov-94 08:49:37 GMT' },
    { expires: 'Sun Nov  6 08:49:37 1994' },
    { pragma: 'no-cache' },
    { pragma: 'no-cache', expires: dateAt(60) },
    { 'cache-control': 'max-age=60', vary: 'Accept, *' },
  ]
  for (const headers of forms) assert.equal(heldFor(headers), 0, JSON.stringify(headers))
})

test('a cacheable response has the specified lifetime', () => {
  const forms: [headers: Record<string, string | string[]>, seconds: number | null][] = [
    [{}, null],
    [{ 'cache-control': 'public' }, null],
    [{ 'cache-control': 'public', pragma: 'no-cache' }, null],
    [{ vary: 'Accept' }, null],
    [{ 'cache-control': 'max-age=60' }, 60],
    [{ 'cache-control': 'must-revalidate, max-age=60' }, 60],
    [{ 'cache-control': 'max-age=60', expires: '0' }, 60],
    [{ 'cache-control': 'max-age=60', pragma: 'no-cache' }, 60],
    [{ 'cache-control': 'max-age=60', age: '45' }, 15],
    [{ 'cache-control': 'max-age=60', age: 'old' }, 60],
    [{ 'cache-control': 'no-cache="Set-Cookie, Vary", max-age=60' }, 60],
    [{ 'cache-control': 'private="no-store"; max-age=60' }, 60],
    [{ 'cache-control': `max-age=${'9'.repeat(400)}` }, 2 ** 31],
    [{ expires: dateAt(60) }, 60],
    [{ expires: dateAt(60), date: dateAt(-30) }, 90],
    [{ expires: dateAt(-3000), date: dateAt(-3600) }, 600],
    [{ expires: dateAt(60), date: dateAt(0), age: '20' }, 40],
  ]
  for (const [headers, seconds] of forms) assert.equal(heldFor(headers), seconds, JSON.stringify(headers))
})

test("Retry-After is a number of seconds or a date by the server's clock", () => {
  const after = (given: string, more = {}) => retryAfterOf({ 'retry-after': given, ...more }, now)
  assert.equal(after('120'), 120)
  assert.equal(after(' 7 '), 7)
  assert.equal(after(dateAt(90)), 90)
  assert.equal(after(dateAt(90), { date: dateAt(80) }), 10)
  assert.equal(after('Friday, 31-Dec-99 23:59:59 GMT'), null)
  assert.equal(after('Fri, 31 Dec 9999 23:59:59 GMT'), 999_999_999)
  for (const none of ['0', '-1', '1.5', 'soon', '', dateAt(0), dateAt(-5)]) assert.equal(after(none), null, none)
  assert.equal(retryAfterOf({}, now), null)
})
