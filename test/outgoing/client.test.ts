import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { dialects } from '../../core/names/dialect.ts'
import { version } from '../../core/names/version.ts'
import { OutgoingClient, OutgoingError, type OutgoingRequest } from '../../core/outgoing/client.ts'
import { startOther } from '../auth/other-server.ts'

function client(t: test.TestContext, dialect: 'trellis' | 'hasura' = 'trellis') {
  const outgoing = new OutgoingClient(dialects[dialect])
  t.after(() => outgoing.close())
  const send = (url: string, more: Partial<OutgoingRequest> = {}) =>
    outgoing.send({ method: 'GET', url, timeout: 5000, ...more })
  const failure = (url: string, reason: OutgoingError['reason'], message: RegExp, more?: Partial<OutgoingRequest>) =>
    assert.rejects(send(url, more), (error) => {
      assert.ok(error instanceof OutgoingError, String((error as Error).stack))
      assert.equal(error.reason, reason)
      assert.match(error.message, message)
      return true
    })
  return { outgoing, send, failure }
}

test('status, headers and bytes of the response are returned for any status', async (t) => {
  const { url } = await startOther(t, () => ({ status: 418, headers: { 'X-Tea': 'yes' }, body: 'tëa' }))
  const { send } = client(t)
  const { status, headers, body } = await send(url)
  assert.deepEqual([status, headers['x-tea'], body.toString()], [418, 'yes', 'tëa'])
})

test('the default headers replace others of the same names, and bodies have a length', async (t) => {
  const server = await startOther(t, () => ({}))
  const headers = { 'Content-Type': 'text/plain', 'USER-AGENT': 'x', 'X-Key': 'k' }
  await client(t).send(`${server.url}/a%20b?c=d`, { method: 'POST', headers, body: '{"ä":1}' })
  const [call] = server.received
  assert.equal(call?.path, '/a%20b?c=d')
  assert.equal(call?.body, '{"ä":1}')
  const { host, connection, ...sent } = call!.headers
  assert.deepEqual(sent, {
    'x-key': 'k',
    'accept-encoding': 'gzip',
    'content-type': 'application/json',
    'user-agent': `trellis/${version}`,
    'content-length': '8',
  })
})

test('the user in a URL is sent as basic authentication, unless a header is set', async (t) => {
  const server = await startOther(t, () => ({}))
  const url = server.url.replace('//', '//j%C3%B6:p%40ss%zz@')
  const { send } = client(t)
  await send(url)
  await send(url, { headers: { Authorization: 'Bearer x' } })
  const [first, second] = server.received
  assert.equal(first?.headers.authorization, `Basic ${Buffer.from('jö:p%40ss%zz').toString('base64')}`)
  assert.equal(second?.headers.authorization, 'Bearer x')
})

test('the hasura dialect has its own user agent and follows up to ten redirects', async (t) => {
  const server = await startOther(t, ({ path }) => {
    const left = Number(path.slice(1))
    return left === 0 ? { body: 'there' } : { status: 302, headers: { location: `/${left - 1}` } }
  })
  assert.equal((await client(t).send(`${server.url}/1`)).status, 302)
  const { send } = client(t, 'hasura')
  assert.equal((await send(`${server.url}/10`)).body.toString(), 'there')
  assert.equal(server.received[1]?.headers['user-agent'], `hasura-graphql-engine/${version}`)
  assert.equal((await send(`${server.url}/11`)).status, 302)
})

test('a redirect to another origin does not include credentials', async (t) => {
  const other = await startOther(t, () => ({}))
  const server = await startOther(t, () => ({ status: 307, headers: { location: other.url } }))
  await client(t, 'hasura').send(server.url, { headers: { authorization: 'Bearer t', cookie: 'a=b', 'x-key': 'k' } })
  const [call] = other.received
  assert.deepEqual(
    [call?.headers.authorization, call?.headers.cookie, call?.headers['x-key']],
    [undefined, undefined, 'k'],
  )
})

test('a missing response has a reason', async (t) => {
  const { failure } = client(t)
  const gone = await startOther(t, () => null)
  await failure(gone.url, 'timeout', /^no answer within 0.1 s$/, { timeout: 100 })
  await gone.stop()
  await failure(gone.url, 'connection', /ECONNREFUSED/)
  await failure('http://no-such-host.invalid/', 'connection', /ENOTFOUND|EAI_AGAIN/)
  const plain = await startOther(t, () => ({}))
  await failure(
    plain.url.replace('http:', 'https:'),
    'connection',
    /^TLS: (wrong version number|packet length too long)$/,
  )
  for (const url of ['', 'nowhere', 'file:///etc/passwd']) await failure(url, 'invalid-url', /https:/)
  await failure('http://127.0.0.1:9/', 'connection', /header/, { headers: { 'x-bad': 'a\nb' } })
})

test('a response is read up to its limits of size and time', async (t) => {
  const { send, failure } = client(t)
  const { url } = await startOther(t, () => ({ body: 'x'.repeat(1000) }))
  assert.equal((await send(url, { maxResponseSize: 1000 })).body.length, 1000)
  await failure(url, 'too-large', /^the answer is longer than 999 bytes$/, { maxResponseSize: 999 })
  const endless = await startOther(t, () => ({ headers: { 'content-length': '9' }, body: 'x' }))
  await failure(endless.url, 'timeout', /no answer/, { timeout: 100 })
})

test('a request can be aborted, and closing aborts all', async (t) => {
  const { outgoing, failure } = client(t)
  const { url } = await startOther(t, () => null)
  await failure(url, 'connection', /abort/i, { signal: AbortSignal.timeout(50) })
  const pending = failure(url, 'connection', /./)
  setTimeout(() => void outgoing.close(), 50)
  await pending
})

test('a response without content succeeds with any declared length', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => socket.write('HTTP/1.1 204 No Content\r\nContent-Length: 2\r\nX-Tea: no\r\n\r\nok'))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => server.close())
  const { send } = client(t)
  for (let i = 0; i < 3; i++) {
    const { status, headers, body } = await send(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    assert.deepEqual([status, headers['x-tea'], body.length], [204, 'no', 0])
  }
})
