import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dialects } from '../../core/names/dialect.ts'
import { forwardedHeaders, withDefaults } from '../../core/outgoing/headers.ts'
import { loggableUrl } from '../../core/outgoing/url.ts'

test("forwarded headers are the client's without session variables, plus its host and user agent", () => {
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

test('configured headers of the connection are omitted, because the request would fail', () => {
  const headers = {
    ...{ 'Content-Length': '7', 'transfer-encoding': 'chunked', Expect: '100-continue', Upgrade: 'websocket', TE: 'x' },
    ...{ 'Keep-Alive': '1', 'content-type': 'text/plain', Host: 'other.test', 'X-Key': 'k' },
  }
  const { 'user-agent': _, 'accept-encoding': coding, ...sent } = withDefaults(headers, dialects.trellis, 'gzip')
  assert.equal(coding, 'gzip')
  assert.deepEqual(sent, { Host: 'other.test', 'X-Key': 'k', 'content-type': 'application/json' })
})

test('a URL is logged without possible secrets', () => {
  assert.equal(loggableUrl('https://h:1/p?a=1&b=2&a=3#f'), 'https://h:1/p?a=redacted&b=redacted#f')
  assert.equal(loggableUrl('http://u:p@h/'), 'http://redacted:redacted@h/')
  for (const bad of ['x', 'postgres://u:p@h/d', 'http://u:p@ss/w#rd@h/', 'http://u:1/w@h/'])
    assert.equal(loggableUrl(bad), '<redacted>')
})
