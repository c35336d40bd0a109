// Every route with authentication, of any plugin, with every kind of failing credentials.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { Route } from '../../core/http/route/declared-route.ts'
import { definePlugin } from '../../sdk/index.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { type OtherAnswer, startOther } from './other-server.ts'
import { inSeconds, macKey, namespace, rsaPair, sign, tokenFor } from './tokens.ts'

const apis = ['metadata', 'graphql', 'config', 'pgdump', 'developer']

interface Guarded {
  readonly trellis: TestTrellis
  /** The routes that authenticate. */
  readonly doors: readonly Route[]
}

/** A server with a table that every authenticated role may read. */
async function startGuarded(t: test.TestContext, settings: Readonly<Record<string, unknown>>): Promise<Guarded> {
  const doors: Route[] = []
  const census = definePlugin({
    name: 'census',
    register({ onReady, routes }) {
      onReady(() => {
        doors.push(...routes.all().filter(({ auth }) => auth !== 'none'))
      })
    },
  })
  const trellis = await startTrellis(t, {
    sql: 'create table town (id int primary key); insert into town values (4711)',
    plugins: [census],
    settings: { adminSecret: 'sesame', enabledApis: apis, ...settings },
  })
  const admin = { headers: { 'x-service-admin-secret': 'sesame' } }
  await trellis.op('track_table', 'town', admin)
  for (const role of ['anonymous', 'reader']) {
    const permission = { columns: ['id'], filter: {}, allow_aggregations: true }
    await trellis.op('create_select_permission', { table: 'town', role, permission }, admin)
  }
  return { trellis, doors }
}

const bodies: Readonly<Record<string, unknown>> = {
  '/v1/query': { type: 'select', args: { table: 'town', columns: ['id'] } },
  '/api/1/table/town/select': { columns: ['id'] },
}

/** The URL of a route: parameters name the table and an operation that reads it. */
const pathOf = ({ url }: Route): string =>
  url.replace(':table', 'town').replace(':operation', 'select').replace(':op', 'select')

async function ask({ trellis }: Guarded, route: Route, headers: Record<string, string>) {
  const path = pathOf(route)
  const body = route.method === 'GET' ? {} : { body: bodies[path] ?? { query: '{ town { id } }' } }
  return trellis.request(path, { method: route.method, headers, ...body })
}

/** The error code of a response in either form of errors; null if it is not an error. */
function codeOf(body: unknown): string | null {
  const { code, errors } = (body ?? {}) as { code?: string; errors?: { extensions: { code: string } }[] }
  return errors?.[0]?.extensions.code ?? code ?? null
}

const foreignHeader = "the other dialect's header"

/** Asserts that each route refuses these headers with an error. */
async function closed(guarded: Guarded, what: string, headers: Record<string, string>, codes: readonly string[]) {
  for (const route of guarded.doors) {
    const { text, body, status } = await ask(guarded, route, headers)
    const place = `${what}: ${route.method} ${route.url}: ${text.slice(0, 200)}`
    assert.ok(codes.includes(codeOf(body) ?? 'none'), place)
    if (what === foreignHeader) assert.equal(status, 400, place)
    assert.ok(!text.includes('4711') && !text.includes('"data"'), place)
  }
}

const roleHeaders = { 'x-service-role': 'reader', 'x-service-allowed-roles': '["reader"]', 'x-service-user-id': '1' }

test('every endpoint that shows or changes data authenticates', async (t) => {
  const { doors } = await startGuarded(t, {})
  const paths = doors.map((route) => `${route.method} ${pathOf(route)}`)
  for (const path of [
    'POST /v1/query',
    'POST /v1/graphql',
    'POST /v1alpha1/graphql',
    'POST /v1beta1/relay',
    'POST /v1/graphql/explain',
    'POST /v1alpha1/graphql/explain',
    'POST /api/1/table/town/select',
    'POST /v1alpha1/pg_dump',
    'GET /v1alpha1/config',
  ]) {
    assert.ok(paths.includes(path), `${path} is not among ${paths.join(', ')}`)
  }
})

test('without the admin secret, or with a wrong one, every route refuses', async (t) => {
  const guarded = await startGuarded(t, {})
  const attempts: Record<string, Record<string, string>> = {
    nothing: {},
    'a role': roleHeaders,
    'the role of administrators': { 'x-service-role': 'admin' },
    'a wrong secret': { 'x-service-admin-secret': 'Sesame' },
    'an empty secret': { 'x-service-admin-secret': '' },
    'the secret behind a wrong one': { 'x-service-admin-secret': 'guess', 'x-service-access-key': 'sesame' },
    'the secret twice': { 'x-service-admin-secret': 'sesame, sesame' },
    'the secret as a token': { authorization: 'Bearer sesame' },
    'the secret in a cookie': { cookie: 'x-service-admin-secret=sesame' },
  }
  for (const [what, headers] of Object.entries(attempts)) await closed(guarded, what, headers, ['access-denied'])
  await closed(guarded, foreignHeader, { 'x-hasura-admin-secret': 'sesame' }, ['invalid-headers'])
})

test('a wrong secret does not give the unauthorized role', async (t) => {
  const guarded = await startGuarded(t, { unauthorizedRole: 'anonymous' })
  for (const secret of ['guess', '', 'sesame ,']) {
    await closed(guarded, `secret "${secret}"`, { 'x-service-admin-secret': secret }, ['access-denied'])
  }
})

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Invalid tokens by their fault. */
async function badTokens(rsa: ReturnType<typeof rsaPair>): Promise<Record<string, string>> {
  const claims = { [namespace]: { 'x-service-allowed-roles': ['reader'], 'x-service-default-role': 'reader' } }
  const good = { ...claims, aud: 'shop', iss: 'me', exp: inSeconds(60) }
  const byRsa = { alg: 'RS256', key: rsa.privateKey, header: { kid: 'one' } }
  const genuine = await sign(good, byRsa)
  const [header, payload, signature] = genuine.split('.') as [string, string, string]
  return {
    'alg none': `${encode({ alg: 'none', kid: 'one' })}.${payload}.`,
    'alg none with the signature': `${encode({ alg: 'none', kid: 'one' })}.${payload}.${signature}`,
    'no signature': `${header}.${payload}.`,
    'claims of another': `${header}.${encode({ ...good, sub: 'x' })}.${signature}`,
    'the public key as the secret of a MAC': await sign(good, { alg: 'HS256', key: Buffer.from(rsa.pem) }),
    'a secret of its own': await sign(good, { alg: 'HS256', key: Buffer.from(macKey) }),
    'a key of its own': await sign(good, { ...byRsa, key: rsaPair().privateKey }),
    'an unknown key': await sign(good, { ...byRsa, header: { kid: 'two' } }),
    'a hash of another length': await sign(good, { ...byRsa, alg: 'RS512' }),
    'another audience': await sign({ ...good, aud: 'desk' }, byRsa),
    'no audience': await sign({ ...claims, iss: 'me' }, byRsa),
    'another issuer': await sign({ ...good, iss: 'you' }, byRsa),
    'an expired token': await sign({ ...good, exp: inSeconds(-1) }, byRsa),
    'a token that is not valid yet': await sign({ ...good, nbf: inSeconds(60) }, byRsa),
    'a token of tomorrow': await sign({ ...good, iat: inSeconds(60) }, byRsa),
    'a text': 'anything',
    'a long token': await tokenFor({ 'x-service-filler': 'x'.repeat(10_000) }),
  }
}

test('no invalid token is accepted, and none gives the unauthorized role', async (t) => {
  const rsa = rsaPair()
  const keys = [{ ...rsa.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }]
  const published = await startOther(t, () => ({ body: { keys } }))
  const jwtSecret = JSON.stringify({ jwk_url: published.url, audience: 'shop', issuer: 'me' })
  const guarded = await startGuarded(t, { jwtSecret, unauthorizedRole: 'anonymous' })
  for (const [what, token] of Object.entries(await badTokens(rsa))) {
    const authorization = `Bearer ${token}`
    await closed(guarded, what, { authorization }, ['invalid-jwt'])
    await closed(guarded, what, { authorization, ...roleHeaders }, ['invalid-jwt'])
  }
  const claims = { 'x-service-allowed-roles': ['reader'], 'x-service-default-role': 'reader' }
  const genuine = await sign({ [namespace]: claims, aud: 'shop' }, { alg: 'RS256', key: rsa.privateKey })
  for (const malformed of ['', genuine, `bearer ${genuine}`, `Bearer ${genuine} x`, 'Basic YTpi']) {
    await closed(guarded, malformed, { authorization: malformed }, ['invalid-headers'])
  }
  for (const role of ['admin', 'anonymous', 'Reader', 'reader,reader']) {
    const headers = { authorization: `Bearer ${genuine}`, 'x-service-role': role }
    await closed(guarded, `role ${role}`, headers, ['access-denied'])
  }
})

test('every route refuses when the webhook refuses, fails, or answers nonsense', async (t) => {
  let answer: OtherAnswer = {}
  const hook = await startOther(t, () => answer)
  const guarded = await startGuarded(t, { authHook: hook.url })
  const reader = { 'x-service-role': 'reader' }
  const answers: readonly (readonly [string, OtherAnswer, readonly string[]])[] = [
    ['401', { status: 401, body: reader }, ['access-denied']],
    ['403', { status: 403, body: reader }, ['unexpected']],
    ['201', { status: 201, body: reader }, ['unexpected']],
    ['500', { status: 500, body: reader }, ['unexpected']],
    ['a redirect', { status: 302, headers: { location: '/' }, body: reader }, ['unexpected']],
    ['a page', { body: '<html>reader</html>' }, ['unexpected']],
    ['nothing', { body: '' }, ['unexpected']],
    ['a list', { body: [reader] }, ['unexpected']],
    ['a number among the variables', { body: { ...reader, 'x-service-user-id': 1 } }, ['unexpected']],
    ['no role', { body: {} }, ['invalid-params']],
    ['an empty role', { body: { 'x-service-role': '' } }, ['invalid-params']],
    ["the other dialect's role", { body: { 'x-hasura-role': 'reader' } }, ['invalid-params']],
    ['a huge answer', { body: { ...reader, filler: 'x'.repeat(1_100_000) } }, ['unexpected']],
  ]
  for (const [what, given, codes] of answers) {
    answer = given
    await closed(guarded, what, roleHeaders, codes)
    await closed(guarded, what, { 'x-service-role': 'admin' }, codes)
  }
  await hook.stop()
  await closed(guarded, 'a webhook that is down', roleHeaders, ['unexpected'])
})

test('repeated headers give no more rights than a single one', async (t) => {
  const { trellis } = await startGuarded(t, { jwtSecret: JSON.stringify({ type: 'HS256', key: macKey }) })
  const { port } = new URL(trellis.url)
  const good = await tokenFor()
  const send = async (lines: readonly string[]) => {
    const socket = connect(Number(port), '127.0.0.1')
    const body = '{"query":"{ town { id } }"}'
    const head = [
      'POST /v1/graphql HTTP/1.1',
      'Host: x',
      'Connection: close',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ]
    socket.write(`${[...head, ...lines].join('\r\n')}\r\n\r\n${body}`)
    return Buffer.concat(await socket.toArray()).toString()
  }
  const rows = '{"data":{"town":[{"id":4711}]}}'
  assert.ok((await send([`Authorization: Bearer ${good}`])).endsWith(rows))
  for (const lines of [
    ['Authorization: Bearer x.y.z', `Authorization: Bearer ${good}`],
    ['X-Service-Admin-Secret: guess', 'X-Service-Admin-Secret: sesame'],
    ['X-Service-Admin-Secret: guess', 'x-service-admin-secret: sesame', `Authorization: Bearer ${good}`],
    [`Authorization: Bearer ${good}`, 'X-Service-Role: reader', 'X-Service-Role: admin'],
  ]) {
    const answer = await send(lines)
    // Request ids in the headers may contain any digits.
    const body = answer.slice(answer.indexOf('\r\n\r\n'))
    assert.ok(!body.includes('4711') && body.includes('"errors"'), answer)
  }
})
