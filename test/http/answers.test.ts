import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { badRequest, graphqlError } from '../../core/errors/errors.ts'
import type { Route, RouteCall } from '../../core/http/route/declared-route.ts'
import { eventually } from '../support/waiting.ts'
import { openConnection, recordingObserver, serveRoutes } from './server.ts'

const echo: Route = { method: 'POST', url: '/echo', auth: 'session', handle: ({ body }) => body }
const notFound = { path: '$', error: 'resource does not exist', code: 'not-found' }

test('an unknown path answers a JSON 404 for any method and body', async (t) => {
  const { url } = await serveRoutes(t, [echo], { settings: { maxBodySize: 2048 } })
  for (const [method, path] of [
    ['GET', '/nowhere'],
    ['GET', '/echo'],
    ['POST', '/nowhere?x=1'],
    ['DELETE', '/echo'],
    ['PATCH', '/'],
    ['PROPFIND', '/echo'],
    ['OPTIONS', '/echo'],
  ] as const) {
    const response = await fetch(url + path, { method })
    assert.equal(response.status, 404, `${method} ${path}`)
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.deepEqual(await response.json(), notFound)
  }
  for (const body of ['{', 'x'.repeat(5000)]) {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${url}/nowhere`, { method: 'POST', body, headers })
    assert.deepEqual([response.status, await response.json()], [404, notFound])
  }
})

test('a path that cannot be decoded answers 404', async (t) => {
  const { port } = await serveRoutes(t, [echo])
  const socket = await openConnection(t, port)
  socket.write('GET /%ff%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  const text = String(await socket.toArray().then(Buffer.concat))
  assert.match(text, /^HTTP\/1\.1 404 /)
  assert.deepEqual(JSON.parse(text.slice(text.indexOf('\r\n\r\n'))), notFound)
})

test('bytes that are not HTTP are refused as JSON', async (t) => {
  const { port } = await serveRoutes(t, [echo])
  const socket = await openConnection(t, port)
  socket.write('hello\r\n\r\n')
  const text = String(await socket.toArray().then(Buffer.concat))
  assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n/)
  assert.match(text, /\{"path":"\$","error":"bad request","code":"bad-request"\}$/s)
})

test('requests without a host or with an unknown expectation are refused as JSON', async (t) => {
  for (const settings of [{}, { adminSecret: 'sesame' }]) {
    const { port } = await serveRoutes(t, [echo], { settings })
    const ask = async (head: string) => {
      const socket = await openConnection(t, port)
      socket.write(`${head}\r\nX-Request-Id: r1\r\nConnection: close\r\n\r\n`)
      const text = String(await socket.toArray().then(Buffer.concat))
      assert.match(text, /x-request-id: r1\r\n/)
      return [Number(text.split(' ')[1]), JSON.parse(text.slice(text.indexOf('\r\n\r\n')))]
    }
    const refusal = (error: string) => ({ path: '$', error, code: 'bad-request' })
    assert.deepEqual(await ask('GET /echo HTTP/1.1'), [400, refusal('the header Host is missing')])
    assert.deepEqual(await ask('POST /echo HTTP/1.1\r\nHost: localhost\r\nExpect: a-miracle'), [
      417,
      refusal('the only expectation that is met is 100-continue'),
    ])
  }
})

test('a body of any content type is accepted, and numbers keep their digits', async (t) => {
  const { url } = await serveRoutes(t, [echo])
  const body = '{"n":12345678901234567890.123,"__proto__":1,"s":"é🚢"}'
  const types = ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'image/png', undefined]
  // The first is a client that sets the header twice, the others are careless clients.
  const malformed = ['application/json, application/json', 'json', 'application /json', ';charset=utf-8', '']
  for (const type of [...types, ...malformed]) {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
    const response = await fetch(`${url}/echo`, { method: 'POST', body: Buffer.from(body), headers })
    assert.equal(response.status, 200, type)
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(await response.text(), body)
  }
})

test('a handler gets the unparsed body and the parsed one, and no bytes without a body', async (t) => {
  const told = ({ body, bytes }: RouteCall) => [body ?? null, bytes.toString()]
  const { url } = await serveRoutes(t, [
    { method: 'POST', url: '/told', auth: 'session', handle: told },
    { method: 'GET', url: '/told', auth: 'none', handle: told },
    { method: 'DELETE', url: '/told', auth: 'session', handle: told },
  ])
  const posted = await fetch(`${url}/told`, { method: 'POST', body: '{ "n": 1.0 }' })
  assert.equal(await posted.text(), '[{"n":1},"{ \\"n\\": 1.0 }"]')
  for (const method of ['GET', 'DELETE']) {
    const asked = await fetch(`${url}/told`, { method })
    assert.deepEqual([asked.status, await asked.text()], [200, '[null,""]'])
  }
  const deleted = await fetch(`${url}/told`, { method: 'DELETE', body: '{ "n": 1.0 }' })
  assert.equal(await deleted.text(), '[{"n":1},"{ \\"n\\": 1.0 }"]')
})

test('a malformed JSON body is refused after authentication', async (t) => {
  const { url } = await serveRoutes(t, [echo], { settings: { adminSecret: 'sesame' } })
  const post = (body: string | Buffer, headers: Record<string, string>) =>
    fetch(`${url}/echo`, { method: 'POST', body, headers })
  const unauthenticated = await post('{', {})
  assert.equal(unauthenticated.status, 401)
  const headers = { 'x-service-admin-secret': 'sesame' }
  for (const body of ['{', '', 'nope', Buffer.from([0x22, 0xff, 0x22]), '['.repeat(5000) + ']'.repeat(5000)]) {
    const response = await post(body, headers)
    assert.equal(response.status, 400)
    const { code, path } = (await response.json()) as { code: string; path: string }
    assert.deepEqual({ code, path }, { code: 'invalid-json', path: '$' })
  }
})

test('a body beyond the limit is refused with 413 and the connection is closed', async (t) => {
  const { url } = await serveRoutes(t, [echo], { settings: { maxBodySize: 2048 } })
  const response = await fetch(`${url}/echo`, { method: 'POST', body: JSON.stringify('x'.repeat(5000)) })
  assert.equal(response.status, 413)
  assert.equal(response.headers.get('connection'), 'close')
  assert.deepEqual(await response.json(), { path: '$', error: 'request body is too large', code: 'bad-request' })
})

test('a request behind a response that closes the connection is not run', async (t) => {
  const ran: unknown[] = []
  const route: Route = { method: 'POST', url: '/run', auth: 'session', handle: ({ body }) => void ran.push(body) }
  const { port } = await serveRoutes(t, [route], { settings: { maxBodySize: 1024 } })
  const send = (body: string) =>
    `POST /run HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const socket = await openConnection(t, port)
  socket.write(send('1') + send(`"${'x'.repeat(2000)}"`) + send('2'))
  const text = String(await socket.toArray().then(Buffer.concat))
  assert.deepEqual([text.match(/HTTP\/1\.1 \d+/g), ran], [['HTTP/1.1 200', 'HTTP/1.1 413'], [1]])
})

test('a body in pieces is read whole, and refused as soon as it is too long', async (t) => {
  const observe = recordingObserver()
  const { port } = await serveRoutes(t, [echo], { settings: { maxBodySize: 2048 }, observe })
  const send = async (pieces: readonly string[]) => {
    const socket = await openConnection(t, port)
    socket.write('POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n')
    for (const piece of pieces) {
      socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`)
      await sleep(20)
    }
    return { socket, text: async () => String(await socket.toArray().then(Buffer.concat)) }
  }
  const whole = await send(['[1,', '2', ']'])
  whole.socket.write('0\r\n\r\n')
  assert.match(await whole.text(), /^HTTP\/1\.1 200 .*\[1,2\]$/s)
  const long = await send(['"', ...Array.from({ length: 3 }, () => 'x'.repeat(1000))])
  assert.match(await long.text(), /^HTTP\/1\.1 413 .*"request body is too large","code":"bad-request"\}$/s)

  const left = await send(['[1,'])
  left.socket.destroy()
  const failures = () =>
    observe.entries.flatMap(({ type, detail }) => (type === 'http-log' ? [JSON.stringify(detail)] : []))
  await eventually(() => failures().some((text) => text.includes('aborted')))
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/echo`, { method: 'POST', body: '1' })).text(), '1')
})

test('a route for administrators refuses other roles', async (t) => {
  const { url } = await serveRoutes(t, [{ method: 'GET', url: '/secret', auth: 'admin', handle: () => 'told' }])
  const refused = await fetch(`${url}/secret`, { headers: { 'x-service-role': 'guest' } })
  assert.equal(refused.status, 400)
  assert.deepEqual(await refused.json(), {
    path: '$',
    error: 'You have to be an admin to access this endpoint',
    code: 'access-denied',
  })
  assert.equal(await (await fetch(`${url}/secret`)).text(), 'told')
})

test("the response has the client's request id or a new one, also for errors", async (t) => {
  const { url } = await serveRoutes(t, [echo])
  const own = await fetch(`${url}/echo`, { method: 'POST', body: '1', headers: { 'x-request-id': 'mine-1' } })
  assert.equal(own.headers.get('x-request-id'), 'mine-1')
  const refused = await fetch(`${url}/echo`, { method: 'POST', body: '{', headers: { 'x-request-id': 'mine-2' } })
  assert.equal(refused.headers.get('x-request-id'), 'mine-2')
  const unknown = await fetch(`${url}/nowhere`)
  assert.match(unknown.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
})

test('internal details are shown to administrators, and to all roles in development mode', async (t) => {
  const failing: Route = {
    method: 'GET',
    url: '/fail',
    auth: 'session',
    handle: () => {
      throw badRequest('data-exception', 'no', { path: ['a', 0, 'odd key'], internal: { statement: 'select' } })
    },
  }
  const ask = async (settings: Record<string, unknown>, role: string) => {
    const { url } = await serveRoutes(t, [failing], { settings })
    const response = await fetch(`${url}/fail`, { headers: { 'x-service-role': role } })
    return response.json()
  }
  const plain = { path: "$.a[0]['odd key']", error: 'no', code: 'data-exception' }
  const full = { ...plain, internal: { statement: 'select' } }
  assert.deepEqual(await ask({}, 'admin'), full)
  assert.deepEqual(await ask({}, 'guest'), plain)
  assert.deepEqual(await ask({ adminInternalErrors: false }, 'admin'), plain)
  assert.deepEqual(await ask({ devMode: true, adminInternalErrors: false }, 'guest'), full)
})

test('an unexpected error is logged in full and answered without details', async (t) => {
  const observe = recordingObserver()
  const broken: Route = {
    method: 'GET',
    url: '/broken',
    auth: 'session',
    handle: () => {
      throw new TypeError('password is hunter2')
    },
  }
  const { url } = await serveRoutes(t, [broken], { observe })
  const response = await fetch(`${url}/broken`)
  assert.equal(response.status, 500)
  assert.deepEqual(await response.json(), { path: '$', error: 'internal error', code: 'unexpected' })
  const logged = observe.entries.find(({ type }) => type === 'unstructured')
  assert.match(String(logged?.detail), /TypeError: password is hunter2\n {4}at /)
})

test('a route can encode its errors, including those of authentication', async (t) => {
  const route: Route = {
    ...echo,
    errors: (error, showInternal) => ({ status: 200, body: { errors: [graphqlError(error, showInternal)] } }),
  }
  const { url } = await serveRoutes(t, [route], { settings: { adminSecret: 'sesame' } })
  const response = await fetch(`${url}/echo`, { method: 'POST', body: '1' })
  assert.equal(response.status, 200)
  assert.deepEqual(await response.json(), {
    errors: [
      {
        extensions: { path: '$', code: 'access-denied' },
        message: 'x-service-admin-secret/x-service-access-key required, but not found',
      },
    ],
  })
})

/** The raw bytes of a response, which fetch would decompress. */
async function askAccepting(t: TestContext, port: number, path: string, accept: string) {
  const socket = await openConnection(t, port)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: ${accept}\r\nConnection: close\r\n\r\n`)
  const bytes = Buffer.concat(await socket.toArray())
  const end = bytes.indexOf('\r\n\r\n')
  return { head: String(bytes.subarray(0, end)), body: bytes.subarray(end + 4) }
}

test('responses are compressed for clients that accept gzip, except errors and small ones', async (t) => {
  const text = JSON.stringify('abc'.repeat(2000))
  const routes: Route[] = [
    { method: 'GET', url: '/large', auth: 'none', handle: () => Buffer.from(text) },
    { method: 'GET', url: '/small', auth: 'none', handle: () => ({ a: 1 }) },
  ]
  const { port } = await serveRoutes(t, routes)
  const ask = (path: string, accept: string) => askAccepting(t, port, path, accept)
  const compressed = await ask('/large', 'deflate, gzip;q=0.8')
  assert.match(compressed.head, /content-encoding: gzip/)
  assert.ok(compressed.body.length < 200)
  assert.equal(String(gunzipSync(compressed.body)), text)
  for (const accept of ['gzip;q=0', 'x-gzip', 'br', 'identity']) {
    const plain = await ask('/large', accept)
    assert.doesNotMatch(plain.head, /content-encoding/)
    assert.equal(String(plain.body), text)
  }
  assert.doesNotMatch((await ask('/small', 'gzip')).head, /content-encoding/)
})

test('in the hasura dialect responses of any size are compressed, except errors', async (t) => {
  const routes: Route[] = [
    { method: 'GET', url: '/small', auth: 'none', handle: () => ({ a: 1 }) },
    { method: 'GET', url: '/empty', auth: 'none', handle: () => '' },
  ]
  const { port } = await serveRoutes(t, routes, { settings: { dialect: 'hasura' } })
  const small = await askAccepting(t, port, '/small', 'gzip, deflate, br')
  assert.match(small.head, /^HTTP\/1\.1 200 OK\r\n[\s\S]*content-encoding: gzip/)
  assert.equal(String(gunzipSync(small.body)), '{"a":1}')
  assert.equal(String((await askAccepting(t, port, '/small', 'br')).body), '{"a":1}')
  for (const path of ['/empty', '/nowhere']) {
    assert.doesNotMatch((await askAccepting(t, port, path, 'gzip')).head, /content-encoding/)
  }
})
