// Requests that web pages can cause: as browsers send them, and as attackers would send them through a browser.

import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { defaultSettings, type GivenSettings } from '../../core/engine/options.ts'
import { createGate } from '../../core/http/front/gate.ts'
import type { Route } from '../../core/http/route/declared-route.ts'
import type { HttpLog } from '../../core/log/observe.ts'
import { openConnection, recordingObserver, serveRoutes } from './server.ts'

const secret = 'sesame'
const jsonBody = '{"a":1}'

/** A server that counts the requests that it runs, and a function that sends raw requests. */
async function startCounting(t: TestContext, settings: GivenSettings = {}) {
  const carriedOut: string[] = []
  const note =
    (name: string): Route['handle'] =>
    () =>
      carriedOut.push(name)
  const routes: Route[] = [
    { method: 'POST', url: '/v1/query', auth: 'session', handle: note('query') },
    { method: 'GET', url: '/state', auth: 'none', handle: note('state') },
    { method: 'DELETE', url: '/state', auth: 'none', raw: true, handle: note('delete') },
  ]
  const observe = recordingObserver()
  const server = await serveRoutes(t, routes, { settings, observe })
  const send = async (head: string, body = '') => {
    const socket = await openConnection(t, server.port)
    const length = body === '' ? '' : `Content-Length: ${body.length}\r\n`
    socket.write(`${head}\r\nConnection: close\r\n${length}\r\n${body}`)
    const text = String(await socket.toArray().then(Buffer.concat))
    const [headers = '', answer = ''] = text.split('\r\n\r\n')
    return { status: Number(headers.split(' ')[1]), headers, answer }
  }
  /** Sends a POST with `{"a":1}` as JSON, unless the headers say otherwise. */
  const post = (headers: Readonly<Record<string, string>>, target = '/v1/query') => {
    const all = { Host: 'localhost:8080', 'Content-Type': 'application/json', ...headers }
    const lines = Object.entries(all).filter(([, value]) => value !== '')
    return send([`POST ${target} HTTP/1.1`, ...lines.map((line) => line.join(': '))].join('\r\n'), jsonBody)
  }
  return { ...server, carriedOut, send, post, entries: observe.entries }
}

const foreignHost = {
  path: '$',
  error:
    'without an admin secret requests are served only when their Host is localhost, a loopback address, or what --server-host names',
  code: 'access-denied',
}
const foreignOrigin = {
  path: '$',
  error:
    'without an admin secret requests of web pages are served only from the same origin, from localhost, and from origins that --cors-domain lists by name',
  code: 'access-denied',
}
const unasked = {
  path: '$',
  error:
    'the Content-Type is missing, or one that browsers send across sites without a preflight: web pages have to send application/json',
  code: 'invalid-headers',
}

const dialects = ['trellis', 'hasura'] as const

test('an open server serves the hosts of this machine, and runs no requests for other hosts', async (t) => {
  for (const dialect of dialects) {
    const { post, carriedOut } = await startCounting(t, { dialect, serverHost: null })
    const own = [
      'localhost',
      'LOCALHOST:8080',
      'localhost.',
      'app.localhost:80',
      '127.0.0.1:8080',
      '127.9.8.7',
      '[::1]:8080',
    ]
    for (const host of own) assert.equal((await post({ Host: host })).status, 200, host)
    assert.equal(carriedOut.length, own.length)
    for (const host of [
      'evil.example:8080',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'evil.example@localhost',
      'localhost@evil.example',
      'localhost:8080@evil.example',
      'localhost/evil.example',
      'localhost:99999',
      'localhost evil.example',
      'notlocalhost',
      '%6cocalhost.evil.example',
      '10.0.0.5:8080',
      '0.0.0.0:8080',
      '[::2]:8080',
      '[fe80::1]',
      '-',
      ',',
    ]) {
      const { status, answer, headers } = await post({ Host: host })
      assert.deepEqual([status, JSON.parse(answer)], [403, foreignHost], host)
      assert.match(headers, /content-type: application\/json; charset=utf-8/)
      assert.match(headers, /x-request-id: /)
    }
    assert.equal(carriedOut.length, own.length)
  }
})

test('other places that name a host do not mislead an open server', async (t) => {
  const { post, send, carriedOut } = await startCounting(t)
  assert.equal((await post({}, 'http://evil.example/v1/query')).status, 403)
  assert.equal((await post({}, 'http://localhost@evil.example/v1/query')).status, 403)
  assert.equal((await post({ Host: 'evil.example' }, 'http://localhost/v1/query')).status, 403)
  assert.equal((await post({ Host: 'evil.example', 'X-Forwarded-Host': 'localhost' })).status, 403)
  assert.equal((await post({ Host: 'evil.example', Forwarded: 'host=localhost' })).status, 403)
  assert.equal((await send('GET /state HTTP/1.0')).status, 403)
  assert.equal((await send('GET /state HTTP/1.1\r\nHost: localhost\r\nhost: evil.example')).status, 403)
  assert.equal((await send('GET /state HTTP/1.1\r\nHost:')).status, 403)
  assert.equal((await send('GET /state HTTP/1.1')).status, 400)
  assert.deepEqual(carriedOut, [])
  assert.equal((await post({ 'X-Forwarded-Host': 'evil.example' }, 'http://localhost/v1/query')).status, 200)
})

test('an open server refuses foreign hosts on every path and method', async (t) => {
  const { send } = await startCounting(t)
  for (const target of ['GET /', 'GET /nowhere', 'GET /%ff%zz', 'HEAD /state', 'OPTIONS /v1/query', 'OPTIONS *']) {
    const { status } = await send(`${target} HTTP/1.1\r\nHost: evil.example`)
    assert.equal(status, 403, target)
  }
})

test('an open server serves its own pages, those of this machine, and those of listed origins', async (t) => {
  for (const dialect of dialects) {
    const corsDomain = ['*', 'https://app.example', 'https://*.team.example']
    const { post, carriedOut } = await startCounting(t, { dialect, corsDomain })
    const own = [
      'http://localhost:3000',
      'https://localhost',
      'http://my.localhost:5173',
      'http://127.0.0.1:8080',
      'http://[::1]:3000',
      'https://app.example',
      'https://a.team.example',
    ]
    for (const Origin of own) assert.equal((await post({ Origin })).status, 200, Origin)
    assert.equal(carriedOut.length, own.length)
    for (const Origin of [
      'https://evil.example',
      'http://localhost.evil.example',
      'http://localhost:8080.evil.example',
      'http://app.example',
      'https://team.example',
      'null',
      'file://',
      'http://',
      'localhost',
      'http://localhost, https://evil.example',
      'https://evil.example\r\nOrigin: http://localhost',
      'http://localhost\r\nOrigin: https://evil.example',
      'chrome-extension://localhost',
    ]) {
      const { status, answer, headers } = await post({ Origin })
      assert.deepEqual([status, JSON.parse(answer)], [403, foreignOrigin], Origin)
      assert.doesNotMatch(headers, /access-control/i)
    }
    assert.equal(carriedOut.length, own.length)
  }
})

test('an open server answers preflights of listed pages only', async (t) => {
  const { send } = await startCounting(t, { corsDomain: ['https://app.example'] })
  const ask = (origin: string) =>
    send(`OPTIONS /v1/query HTTP/1.1\r\nHost: localhost\r\nOrigin: ${origin}\r\nAccess-Control-Request-Method: POST`)
  const refused = await ask('https://evil.example')
  assert.equal(refused.status, 403)
  assert.doesNotMatch(refused.headers, /access-control/i)
  const allowed = await ask('https://app.example')
  assert.equal(allowed.status, 204)
  assert.match(allowed.headers, /access-control-allow-origin: https:\/\/app\.example/i)
})

test('with CORS disabled an open server lists no origin', async (t) => {
  const { post } = await startCounting(t, { corsDomain: ['https://app.example'], disableCors: true })
  assert.equal((await post({ Origin: 'https://app.example' })).status, 403)
  assert.equal((await post({ Origin: 'http://localhost:8080' })).status, 200)
})

test('an open server refuses requests that foreign pages embed, and serves links', async (t) => {
  const { send, carriedOut } = await startCounting(t)
  const get = async (mode: string, site = 'cross-site') =>
    (await send(`GET /state HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: ${site}\r\nSec-Fetch-Mode: ${mode}`)).status
  assert.deepEqual([await get('no-cors'), await get('cors')], [403, 403])
  assert.deepEqual(carriedOut, [])
  assert.deepEqual([await get('navigate'), await get('no-cors', 'same-site')], [200, 200])
})

test('an open server on all interfaces serves addresses, and serves single-label names to programs', async (t) => {
  for (const serverHost of ['*', '0.0.0.0', '::']) {
    const { post } = await startCounting(t, { serverHost })
    for (const Host of ['localhost:8081', '10.0.0.5:8080', '[fe80::1]:8080', '0.0.0.0', 'trellis:8080', 'my_app']) {
      assert.equal((await post({ Host })).status, 200, Host)
    }
    for (const Host of ['evil.example', 'trellis.evil.example', 'mybox.local']) {
      assert.deepEqual(JSON.parse((await post({ Host })).answer), foreignHost, Host)
    }
    assert.equal((await post({ Host: '10.0.0.5:8080', Origin: 'http://10.0.0.5:8080' })).status, 200)
    assert.equal((await post({ Host: '10.0.0.5:8080', Origin: 'http://10.0.0.5:3000' })).status, 403)
    // An attacker can choose such a name for a page.
    assert.equal((await post({ Host: 'trellis:8080', Origin: 'http://trellis:8080' })).status, 403)
  }
})

test('an open server serves the host in --server-host', () => {
  const statusOf = (serverHost: string, host: string, origin?: string) => {
    const request = new IncomingMessage(new Socket())
    request.url = '/'
    request.rawHeaders.push('Host', host)
    Object.assign(request.headers, { host }, origin === undefined ? {} : { origin })
    return createGate(defaultSettings({ serverHost }), null)(request)?.status ?? 200
  }
  assert.equal(statusOf('MyBox.example', 'mybox.example:8080'), 200)
  assert.equal(statusOf('mybox.example', 'mybox.example:8080', 'http://mybox.example:8080'), 200)
  assert.equal(statusOf('mybox.example', 'mybox.example', 'https://mybox.example'), 200)
  assert.equal(statusOf('mybox.example', 'mybox.example:8080', 'http://mybox.example:3000'), 403)
  assert.equal(statusOf('mybox.example', 'localhost'), 200)
  assert.equal(statusOf('mybox.example', 'mybox'), 403)
  assert.equal(statusOf('10.0.0.5', '10.0.0.5:80'), 200)
  assert.equal(statusOf('10.0.0.5', '10.0.0.6'), 403)
  assert.equal(statusOf('fe80::1', '[FE80:0::1]:80'), 200)
  assert.equal(statusOf('fe80::1%eth0', '[fe80::1]'), 200)
})

test('with an admin secret hosts and origins are not checked', async (t) => {
  for (const dialect of dialects) {
    const { post } = await startCounting(t, { dialect, adminSecret: secret })
    const name = dialect === 'trellis' ? 'x-service-admin-secret' : 'x-hasura-admin-secret'
    assert.equal((await post({ Host: 'evil.example', Origin: 'https://evil.example', [name]: secret })).status, 200)
  }
})

test('requests that browsers send across sites without a preflight are not run', async (t) => {
  for (const dialect of dialects) {
    for (const adminSecret of [null, secret]) {
      const settings = { dialect, adminSecret, corsDomain: ['https://app.example'] }
      const { post, carriedOut } = await startCounting(t, settings)
      for (const type of [
        'text/plain',
        'text/plain;charset=UTF-8',
        'Text/PLAIN ; charset=utf-8',
        'text/plain; application/json',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/json, text/plain',
        'json',
        ';application/json',
        '',
      ]) {
        const pages: readonly Readonly<Record<string, string>>[] = [
          { Origin: 'https://app.example' },
          { Origin: 'http://localhost:8080', 'Sec-Fetch-Site': 'same-origin' },
          { 'Sec-Fetch-Site': 'cross-site' },
          { 'Sec-Fetch-Site': 'same-site' },
          { 'Sec-Fetch-Site': 'Same-Origin' },
        ]
        for (const page of pages) {
          const { status, answer } = await post({ 'Content-Type': type, ...page })
          assert.deepEqual([status, JSON.parse(answer)], [415, unasked], `${type} ${JSON.stringify(page)}`)
        }
      }
      assert.deepEqual(carriedOut, [])
    }
  }
})

test('a page that is refused for its content type can read the reason', async (t) => {
  const { post } = await startCounting(t, { adminSecret: secret })
  const { headers } = await post({ 'Content-Type': 'text/plain', Origin: 'https://app.example' })
  assert.match(headers, /access-control-allow-origin: \*/i)
})

test('programs are served with any content type, and pages with JSON', async (t) => {
  const { post, send } = await startCounting(t, { corsDomain: ['https://app.example'] })
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'image/png', '']) {
    assert.equal((await post({ 'Content-Type': type })).status, 200, type)
    assert.equal((await post({ 'Content-Type': type, 'Sec-Fetch-Site': 'none' })).status, 200, type)
  }
  for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'application/graphql+json']) {
    assert.equal((await post({ 'Content-Type': type, Origin: 'https://app.example' })).status, 200, type)
  }
  const remove = 'DELETE /state HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example'
  assert.equal((await send(remove)).status, 200)
})

test('a refusal is logged without the body', async (t) => {
  const { post, entries } = await startCounting(t)
  await post({ Host: 'evil.example', 'X-Request-Id': 'r1' }, 'http://evil.example/v1/query?x=1')
  const { http_info, operation } = entries.find(({ type }) => type === 'http-log')!.detail as HttpLog
  assert.deepEqual([http_info.status, http_info.url], [403, '/v1/query'])
  assert.deepEqual({ ...operation, response_size: 0 }, { request_id: 'r1', response_size: 0, error: foreignHost })
})
