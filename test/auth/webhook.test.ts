import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { Auth } from '../../core/auth/auth.ts'
import { defaultSettings, type GivenSettings } from '../../core/engine/options.ts'
import { silentObserver } from '../../core/log/observe.ts'
import { dialects } from '../../core/names/dialect.ts'
import { version } from '../../core/names/version.ts'
import { OutgoingClient } from '../../core/outgoing/client.ts'
import { webhookAuthenticator } from '../../plugins/auth-webhook/authenticator.ts'
import type { TrellisError } from '../../sdk/index.ts'
import { recordingObserver, serveRoutes } from '../http/server.ts'
import { type OtherAnswer, type OtherServer, startOther } from './other-server.ts'
import { refused } from './tokens.ts'

interface HookOptions {
  readonly method?: 'GET' | 'POST'
  readonly settings?: GivenSettings
  readonly timeout?: number
  readonly observe?: ReturnType<typeof recordingObserver>
}

function hookAuth(t: test.TestContext, url: string, options: HookOptions = {}): Auth {
  const { method = 'GET', observe = silentObserver, timeout } = options
  const settings = defaultSettings({ adminSecret: 'sesame', ...options.settings })
  const dialect = dialects[settings.dialect]
  const outgoing = new OutgoingClient(dialect)
  t.after(() => outgoing.close())
  const auth = new Auth(settings, dialect)
  auth.use(webhookAuthenticator({ url, method, outgoing, observe, dialect, ...(timeout !== undefined && { timeout }) }))
  return auth
}

async function hookSaying(t: test.TestContext, answer: OtherAnswer | null, options?: HookOptions) {
  const hook = await startOther(t, () => answer)
  return { hook, auth: hookAuth(t, hook.url, options) }
}

const clerk = { 'X-Service-Role': 'clerk', 'x-service-user-id': '7' }
const failed = 'webhook authentication request failed'
const invalid = 'Invalid response from authorization hook'

test("the webhook sets the role and the session variables, and the client's own are ignored", async (t) => {
  const { auth } = await hookSaying(t, { body: { ...clerk, 'X-Service-Admin-Secret': 'x' } })
  assert.equal(auth.mode, 'webhook')
  const headers = { 'x-service-role': 'admin', 'x-service-org': '9', 'x-service-use-backend-only-permissions': 'true' }
  assert.deepEqual(await auth.authenticate(headers), {
    role: 'clerk',
    variables: { 'x-service-role': 'clerk', 'x-service-user-id': '7' },
    backendOnly: false,
  })
})

test('the webhook may give the role admin, without backend-only permissions', async (t) => {
  const { auth } = await hookSaying(t, { body: { 'x-service-role': 'admin' } })
  const session = await auth.authenticate({ 'x-service-use-backend-only-permissions': 'true' })
  assert.deepEqual([session.role, session.backendOnly], ['admin', false])
})

test('the admin secret takes precedence over the webhook, and a wrong one does not call it', async (t) => {
  const { hook, auth } = await hookSaying(t, { body: clerk })
  assert.equal((await auth.authenticate({ 'x-service-admin-secret': 'sesame' })).role, 'admin')
  const message = 'invalid x-service-admin-secret/x-service-access-key'
  await refused(() => auth.authenticate({ 'x-service-admin-secret': 'guess' }), 401, 'access-denied', message)
  assert.deepEqual(hook.received, [])
})

test('the webhook is called for every request', async (t) => {
  const { hook, auth } = await hookSaying(t, { body: { ...clerk, 'Cache-Control': 'max-age=600' } })
  for (let i = 0; i < 3; i++) await auth.authenticate({ cookie: 'a=b' })
  assert.equal(hook.received.length, 3)
})

test("a GET webhook gets the client's headers, except those of its request and connection", async (t) => {
  const { hook, auth } = await hookSaying(t, { body: clerk })
  const dropped = {
    'content-length': '3',
    'content-md5': 'x',
    'user-agent': 'curl',
    host: 'trellis.test',
    origin: 'http://o',
    referer: 'http://r',
    accept: 'text/html',
    'accept-encoding': 'br',
    'accept-language': 'no',
    'accept-datetime': 'x',
    'cache-control': 'no-store',
    connection: 'close',
    dnt: '1',
    'content-type': 'text/plain',
    'transfer-encoding': 'chunked',
    te: 'trailers',
    upgrade: 'websocket',
    expect: '100-continue',
    'keep-alive': 'timeout=1',
  }
  const name = Buffer.from('Åse').toString('latin1')
  const kept = { cookie: 'a=b; c=d', authorization: 'Bearer t', 'x-service-role': 'admin', 'x-name': name }
  await auth.authenticate({ ...dropped, ...kept })
  const [call] = hook.received
  const { host, connection, ...headers } = call!.headers
  assert.equal(call?.method, 'GET')
  assert.equal(call?.body, '')
  const own = { 'accept-encoding': 'gzip', 'content-type': 'application/json', 'user-agent': `trellis/${version}` }
  assert.deepEqual(headers, { ...kept, ...own })
})

test("a POST webhook gets all headers of the client in its body, in the client's spelling", async (t) => {
  const hook = await startOther(t, () => ({ body: clerk }))
  const route = { method: 'POST', url: '/me', auth: 'session', handle: () => 'ok' } as const
  const { port, auth } = await serveRoutes(t, [route], { settings: { adminSecret: 'sesame' } })
  const outgoing = new OutgoingClient(dialects.trellis)
  t.after(() => outgoing.close())
  const options = {
    url: hook.url,
    method: 'POST',
    outgoing,
    observe: silentObserver,
    dialect: dialects.trellis,
  } as const
  auth.use(webhookAuthenticator(options))
  const socket = connect(port, '127.0.0.1')
  const lines = [
    'POST /me HTTP/1.1',
    'HOST: here',
    'Content-Length: 2',
    'COOKIE: a=b',
    'X-Name: Åse',
    'X-Many: 1',
    'x-many: 2',
  ]
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n{}`)
  const answer = Buffer.concat(await socket.toArray()).toString()
  assert.match(answer, /^HTTP\/1.1 200 /)
  const [call] = hook.received
  const [, id] = /^x-request-id: (.+)\r$/im.exec(answer) ?? []
  assert.deepEqual(JSON.parse(call!.body), {
    headers: {
      'x-request-id': id,
      HOST: 'here',
      'Content-Length': '2',
      COOKIE: 'a=b',
      'X-Name': 'Åse',
      'X-Many': '1, 2',
      Connection: 'close',
    },
  })
  assert.equal(call?.method, 'POST')
  assert.equal(call?.headers['content-type'], 'application/json')
  assert.equal(call?.headers['content-length'], String(Buffer.byteLength(call!.body)))
  assert.equal(call?.headers['transfer-encoding'], undefined)
  assert.equal(call?.headers.cookie, undefined)
})

test('a POST webhook gets lower-case names if the transport has no others', async (t) => {
  const { hook, auth } = await hookSaying(t, { body: clerk }, { method: 'POST' })
  await auth.authenticate({ authorization: 'Bearer t' })
  assert.equal(hook.received[0]?.body, '{"headers":{"authorization":"Bearer t"}}')
})

test('a response without a role is refused', async (t) => {
  const message = 'x-service-role not found in session variables'
  for (const body of [{}, { 'x-service-role': '' }, { 'x-hasura-role': 'clerk' }, { role: 'clerk' }]) {
    const { auth } = await hookSaying(t, { body })
    await refused(() => auth.authenticate({ 'x-service-role': 'clerk' }), 400, 'invalid-params', message)
  }
})

test('a response with names of the other dialect is refused with a hint', async (t) => {
  const { auth } = await hookSaying(t, { body: { 'x-hasura-role': 'clerk' } })
  const hint = 'only servers with --dialect hasura use names that begin with "x-hasura-"'
  await assert.rejects(
    async () => auth.authenticate({}),
    (error: TrellisError) => error.shownHelp.hint === hint,
  )
})

test('a response that is not an object of texts is refused', async (t) => {
  const parsing = (what: string, expected: string, found: string) =>
    `${invalid}: parsing ${what} failed, expected ${expected}, but encountered ${found}`
  const cases: [unknown, string][] = [
    ['', `${invalid}: it is not JSON`],
    ['<html>clerk</html>', `${invalid}: it is not JSON`],
    ['{"x-service-role":"clerk"', `${invalid}: it is not JSON`],
    [[clerk], parsing('HashMap ~Text', 'Object', 'Array')],
    ['null', parsing('HashMap ~Text', 'Object', 'Null')],
    ['"clerk"', parsing('HashMap ~Text', 'Object', 'String')],
    [{ ...clerk, 'x-service-user-id': 7 }, parsing('Text', 'String', 'Number')],
    [{ ...clerk, 'x-service-orgs': ['1'] }, parsing('Text', 'String', 'Array')],
    [{ ...clerk, note: null }, parsing('Text', 'String', 'Null')],
  ]
  for (const [body, message] of cases) {
    const { auth } = await hookSaying(t, { body })
    await refused(() => auth.authenticate({}), 500, 'unexpected', message)
  }
})

test('401 refuses the request, any other status except 200 is a failure', async (t) => {
  const denied = await hookSaying(t, { status: 401, body: clerk })
  const message = 'Authentication hook unauthorized this request'
  await refused(() => denied.auth.authenticate({}), 401, 'access-denied', message)
  for (const status of [201, 204, 302, 400, 403, 404, 500, 503]) {
    const { auth } = await hookSaying(t, { status, body: status === 204 ? '' : clerk, headers: { location: '/other' } })
    await refused(() => auth.authenticate({}), 500, 'unexpected', invalid)
  }
})

test('a webhook that is down, slow, or never ends its response is a failure', async (t) => {
  const { hook, auth } = await hookSaying(t, { body: clerk })
  assert.equal((await auth.authenticate({})).role, 'clerk')
  await hook.stop()
  await refused(() => auth.authenticate({ 'x-service-role': 'admin' }), 500, 'unexpected', failed)
  const silent = await hookSaying(t, null, { timeout: 100 })
  await refused(() => silent.auth.authenticate({}), 500, 'unexpected', failed)
  const endless = await hookSaying(t, { body: clerk, headers: { 'content-length': '5000' } }, { timeout: 100 })
  await refused(() => endless.auth.authenticate({}), 500, 'unexpected', failed)
  const huge = await hookSaying(t, { body: { ...clerk, filler: 'x'.repeat(1_100_000) } })
  await refused(() => huge.auth.authenticate({}), 500, 'unexpected', failed)
})

test('redirects are followed in the hasura dialect only', async (t) => {
  const answer = ({ path }: { path: string }): OtherAnswer =>
    path === '/there' ? { body: { 'x-hasura-role': 'clerk' } } : { status: 307, headers: { location: '/there' } }
  const hook = await startOther(t, answer)
  await refused(() => hookAuth(t, hook.url).authenticate({}), 500, 'unexpected', invalid)
  const hasura = hookAuth(t, hook.url, { settings: { dialect: 'hasura' }, method: 'POST' })
  assert.equal((await hasura.authenticate({ cookie: 'a=b' })).role, 'clerk')
  assert.equal(hook.received.at(-1)?.body, '{"headers":{"cookie":"a=b"}}')
})

test("the response body can limit the session's lifetime", async (t) => {
  const expiry = async (members: Record<string, string>) => {
    const { auth } = await hookSaying(t, { body: { ...clerk, ...members } })
    return (await auth.authenticate({})).expiresAt
  }
  const near = (actual: number | undefined, expected: number) =>
    assert.ok(Math.abs((actual ?? 0) - expected) < 5000, `${actual} is not ${expected}`)
  const date = 'Mon, 30 Mar 2099 13:25:18 GMT'
  near(await expiry({ 'Cache-Control': 'max-age=600', Expires: date }), Date.now() + 600_000)
  near(await expiry({ 'Cache-Control': 'private, s-maxage=60' }), Date.now() + 60_000)
  assert.equal(await expiry({ Expires: date }), Date.parse(date))
  assert.equal(await expiry({ 'Cache-Control': 'no-cache', Expires: date }), Date.parse(date))
  const silent: Record<string, string>[] = [
    {},
    { 'cache-control': 'max-age=600' },
    { Expires: 'tomorrow' },
    { Expires: '0' },
  ]
  for (const members of silent) assert.equal(await expiry(members), undefined)
})

async function linesOf(
  t: test.TestContext,
  answer: OtherAnswer | null,
  prepare?: (hook: OtherServer) => Promise<void>,
) {
  const observe = recordingObserver()
  const hook = await startOther(t, () => answer)
  await prepare?.(hook)
  await Promise.resolve(hookAuth(t, `${hook.url}/auth?key=hidden`, { observe, timeout: 200 }).authenticate({})).catch(
    () => {},
  )
  assert.doesNotMatch(JSON.stringify(observe.entries), /hidden/)
  const url = `${hook.url}/auth?key=redacted`
  return observe.entries.map(({ type, level, detail }) => {
    assert.equal(type, 'webhook-log')
    const { url: logged, method, ...rest } = detail as { url: string; method: string }
    assert.deepEqual([logged, method], [url, 'GET'])
    return { level, ...rest }
  })
}

test('every call is logged, with the response if it has an error', async (t) => {
  const nothing = { status_code: null, http_error: null, response: null, message: null }
  assert.deepEqual(await linesOf(t, { body: clerk }), [{ ...nothing, level: 'info', status_code: 200 }])
  const denied = { status_code: 401, response: '{}', message: 'Authentication hook unauthorized this request' }
  assert.deepEqual(await linesOf(t, { status: 401 }), [{ ...nothing, level: 'error', ...denied }])
  const broken = { status_code: 500, response: 'oops', message: invalid }
  assert.deepEqual(await linesOf(t, { status: 500, body: 'oops' }), [{ ...nothing, level: 'error', ...broken }])
  const body = JSON.stringify({ ...clerk, Expires: 'soon' })
  const message = 'Expires is not a date such as Mon, 30 Mar 2020 13:25:18 GMT'
  const warning = { status_code: 200, response: body, message }
  assert.deepEqual(await linesOf(t, { body }), [{ ...nothing, level: 'warn', ...warning }])
  const [late] = await linesOf(t, null)
  const http_error = { type: 'http_exception', message: 'no answer within 0.2 s' }
  assert.deepEqual(late, { ...nothing, level: 'error', http_error })
  const [down] = await linesOf(t, null, (hook) => hook.stop())
  assert.match(JSON.stringify(down), /"http_exception","message":"connect ECONNREFUSED/)
})
