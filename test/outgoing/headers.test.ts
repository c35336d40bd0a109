import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dialects } from '../../core/names/dialect.ts'
import { freshnessOf } from '../../core/outgoing/freshness.ts'
import { forwardedHeaders, withDefaults } from '../../core/outgoing/headers.ts'
import { loggableUrl } from '../../core/outgoing/url.ts'

test('forwarded headers are those of the client, without session variables, with where they came from', () => {
  const headers = {
    host: 'trellis.test',
    'user-agent': 'curl',
    accept: '*/*',
    'transfer-encoding': 'chunked',
    cookie: 'a=b',
    authorization: 'Bearer t',
    'x-service-admin-secret': 'sesame',
    'x-service-role': 'clerk',
    'x-hasura-role': 'kept',
    'set-cookie': ['a', 'b'],
    'x-absent': undefined,
  }
  assert.deepEqual(forwardedHeaders(headers, dialects.trellis), {
    cookie: 'a=b',
    authorization: 'Bearer t',
    'x-hasura-role': 'kept',
    'set-cookie': 'a, b',
    'x-forwarded-host': 'trellis.test',
    'x-forwarded-user-agent': 'curl',
  })
})

test('configured headers that are those of the connection are left out: no request would get out with them', () => {
  const headers = {
    ...{ 'Content-Length': '7', 'transfer-encoding': 'chunked', Expect: '100-continue', Upgrade: 'websocket', TE: 'x' },
    ...{ 'Keep-Alive': '1', 'content-type': 'text/plain', Host: 'other.test', 'X-Key': 'k' },
  }
  const { 'user-agent': _, 'accept-encoding': coding, ...sent } = withDefaults(headers, dialects.trellis, 'gzip')
  assert.equal(coding, 'gzip')
  assert.deepEqual(sent, { Host: 'other.test', 'X-Key': 'k', 'content-type': 'application/json' })
})

test('how long an answer holds is said by max-age or s-maxage, else by Expires', () => {
  const date = 'Mon, 30 Mar 2020 13:25:18 GMT'
  const at = (cacheControl?: string, expires?: string) => freshnessOf(cacheControl, expires, 1000).expiresAt
  assert.equal(at('max-age=600'), 601_000)
  assert.equal(at('public, S-MaxAge = 5, max-age=9'), 6000)
  assert.equal(at('private,max-age="2"'), 3000)
  assert.equal(at('max-age=0', date), 1000)
  assert.equal(at('no-store', date), Date.parse(date))
  assert.equal(at(undefined, date), Date.parse(date))
  for (const bad of ['max-age', 'max-age=-1', 'x-max-age=5', 'max-age=soon', '']) {
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

test('a URL is logged without what may be secret in it', () => {
  assert.equal(loggableUrl('https://h:1/p?a=1&b=2&a=3#f'), 'https://h:1/p?a=redacted&b=redacted#f')
  assert.equal(loggableUrl('http://u:p@h/'), 'http://redacted:redacted@h/')
  for (const bad of ['x', 'postgres://u:p@h/d']) assert.equal(loggableUrl(bad), '<redacted>')
})
