import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { GivenSettings } from '../../core/engine/options.ts'
import { badRequest } from '../../core/errors/errors.ts'
import type { Route } from '../../core/http/route/declared-route.ts'
import type { HttpLog } from '../../core/log/observe.ts'
import { recordingObserver, serveRoutes } from './server.ts'

const routes: Route[] = [
  { method: 'POST', url: '/echo', auth: 'session', handle: ({ body }) => body },
  { method: 'GET', url: '/healthz', auth: 'none', unlogged: true, handle: () => 'OK' },
  { method: 'GET', url: '/v1/version', auth: 'none', unlogged: true, handle: () => ({}) },
  {
    method: 'POST',
    url: '/break',
    auth: 'session',
    handle: () => {
      throw new Error('a defect')
    },
  },
  {
    method: 'POST',
    url: '/fail',
    auth: 'session',
    handle: () => {
      throw badRequest('not-exists', 'no', { path: ['args'], internal: { why: 1 } })
    },
    errors: (error) => ({ status: 200, body: { message: error.message } }),
  },
]

const headers = { 'x-request-id': 'r1', 'x-service-role': 'clerk', 'x-real-ip': '10.0.0.7' }

async function logOf(t: TestContext, path: string, init: RequestInit, settings: GivenSettings = {}) {
  const observe = recordingObserver()
  const { url } = await serveRoutes(t, routes, { observe, settings: { adminSecret: 'sesame', ...settings } })
  await (await fetch(url + path, init)).text()
  return observe.entries
}

/** The detail of the single log line of a request. */
async function detailOf(t: TestContext, path: string, init: RequestInit): Promise<HttpLog> {
  const entries = await logOf(t, path, init)
  assert.equal(entries.length, 1)
  return entries[0]!.detail as HttpLog
}

const trusted = { ...headers, 'x-service-admin-secret': 'sesame' }
const info = { method: 'POST', ip: '10.0.0.7', http_version: 'HTTP/1.1', content_encoding: null }

test('an answered request is one line with sizes and times', async (t) => {
  const [entry, ...rest] = await logOf(t, '/echo?secret=1', { method: 'POST', body: '[1, 2]', headers: trusted })
  assert.deepEqual(rest, [])
  assert.equal(entry?.type, 'http-log')
  assert.equal(entry?.level, 'info')
  const { http_info, operation } = entry!.detail as HttpLog
  assert.deepEqual(http_info, { ...info, status: 200, url: '/echo' })
  const { request_read_time, query_execution_time, ...known } = operation
  assert.deepEqual(known, { request_id: 'r1', user_vars: { 'x-service-role': 'clerk' }, response_size: 5 })
  assert.ok((request_read_time ?? -1) >= 0 && (request_read_time ?? 1) < 1)
  assert.ok((query_execution_time ?? -1) >= 0 && (query_execution_time ?? 1) < 1)
})

test('a refused request is a line with its body, its error and the status', async (t) => {
  const entries = await logOf(t, '/fail', { method: 'POST', body: '{"a":1}', headers: trusted })
  assert.deepEqual(entries, [
    {
      type: 'http-log',
      level: 'info',
      detail: {
        http_info: { ...info, status: 200, url: '/fail' },
        operation: {
          request_id: 'r1',
          user_vars: { 'x-service-role': 'clerk' },
          response_size: 16,
          query: { a: 1 },
          error: { path: '$.args', error: 'no', code: 'not-exists', internal: { why: 1 } },
        },
      },
    },
  ])
})

test('server failures are logged as errors, client mistakes are not', async (t) => {
  const levelsOf = async (path: string, settings: GivenSettings) => {
    const observe = recordingObserver()
    const { url } = await serveRoutes(t, routes, { observe, settings })
    await (await fetch(url + path, { method: 'POST', body: '{' })).text()
    await (await fetch(url + path, { method: 'POST', body: '{}' })).text()
    return observe.entries.filter(({ type }) => type === 'http-log').map(({ level }) => level)
  }
  const dialect = 'hasura'
  assert.deepEqual(await levelsOf('/fail', {}), ['info', 'info'])
  assert.deepEqual(await levelsOf('/nowhere', {}), ['info', 'info'])
  assert.deepEqual(await levelsOf('/break', {}), ['info', 'error'])
  assert.deepEqual(await levelsOf('/fail', { dialect }), ['error', 'error'])
  assert.deepEqual(await levelsOf('/break', { dialect }), ['error', 'error'])
})

test('a malformed JSON body is logged as text', async (t) => {
  const { operation } = await detailOf(t, '/echo', { method: 'POST', body: '{"a":', headers: trusted })
  assert.equal(operation.raw_query, '{"a":')
  assert.equal(operation.query, undefined)
})

test('only the beginning of a long body is logged', async (t) => {
  const body = JSON.stringify({ text: 'x'.repeat(1_000_000) })
  const { operation } = await detailOf(t, '/fail', { method: 'POST', body, headers: trusted })
  assert.equal(operation.query, undefined)
  assert.equal(operation.raw_query, `${body.slice(0, 65_536)}…`)
})

test('the line of a refused request has no session and no secret', async (t) => {
  const wrong = { ...headers, 'x-service-admin-secret': 'guess' }
  const detail = await detailOf(t, '/echo', { method: 'POST', body: '1', headers: wrong })
  assert.equal('user_vars' in detail.operation, false)
  assert.doesNotMatch(JSON.stringify(detail), /guess/)
})

test('the body of an unauthenticated request is not logged', async (t) => {
  const query = '{"query":"{ hidden(where: {card: {_eq: \\"4711\\"}}) { id } }"}'
  const attempts: readonly (readonly [string, Record<string, string>, string])[] = [
    ['/echo', {}, query],
    ['/echo', { 'x-service-admin-secret': 'guess' }, query],
    ['/echo', {}, `${query}{`],
    ['/nowhere', { 'x-service-admin-secret': 'sesame' }, query],
    ['/fail', { 'content-type': 'text/plain', origin: 'https://evil.example' }, query],
  ]
  for (const [path, given, body] of attempts) {
    const { operation } = await detailOf(t, path, { method: 'POST', body, headers: { ...headers, ...given } })
    assert.deepEqual(Object.keys(operation), ['request_id', 'response_size', 'error'])
    assert.doesNotMatch(JSON.stringify(operation), /hidden|4711/)
  }
})

test('unknown paths are logged, probes are not', async (t) => {
  assert.equal((await detailOf(t, '/nowhere', { headers })).http_info.status, 404)
  assert.deepEqual(await logOf(t, '/healthz', {}), [])
  assert.deepEqual(await logOf(t, '/v1/version?x', {}), [])
})

test('the client address is logged as IPv4, on any listener', async (t) => {
  for (const serverHost of ['127.0.0.1', '*']) {
    const [entry] = await logOf(t, '/nowhere', {}, { serverHost })
    assert.equal((entry!.detail as HttpLog).http_info.ip, '127.0.0.1', serverHost)
  }
})
