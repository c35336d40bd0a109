import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordingObserver } from '../http/server.ts'
import { testDatabase } from '../support/database.ts'
import { spawnTrellis } from '../support/process.ts'
import { startTrellis, type TrellisOptions } from '../support/trellis.ts'
import { startOther } from './other-server.ts'
import { inSeconds, macKey, namespace, sign, tokenFor } from './tokens.ts'

const sql = `
  create table book (id int primary key, title text, owner text);
  insert into book values (1, 'Dawn', '7'), (2, 'Ebb', '8');
`
const admin = { headers: { 'x-service-admin-secret': 'sesame' } }
const jwtSecret = JSON.stringify({ type: 'HS256', key: macKey, audience: 'shop' })
const query = '{ book { id } }'

/** Readers see their own books, anonymous requests all titles. */
async function startShop(t: test.TestContext, options: TrellisOptions) {
  const settings = { adminSecret: 'sesame', ...options.settings }
  const trellis = await startTrellis(t, { sql, ...options, settings })
  const mine = { columns: ['id', 'title'], filter: { owner: 'X-Service-User-Id' } }
  const tracked = [
    { type: 'track_table', args: 'book' },
    { type: 'create_select_permission', args: { table: 'book', role: 'reader', permission: mine } },
    {
      type: 'create_select_permission',
      args: { table: 'book', role: 'anonymous', permission: { columns: ['title'], filter: {} } },
    },
  ]
  await trellis.op('bulk', tracked, admin)
  return trellis
}

const bearing = (token: string, more = {}) => ({ headers: { authorization: `Bearer ${token}`, ...more } })

const shopToken = (claims = {}) =>
  sign({
    [namespace]: { 'x-service-allowed-roles': ['reader'], 'x-service-default-role': 'reader', ...claims },
    aud: 'shop',
  })

test('a token gives access to the rows of its user only', async (t) => {
  const trellis = await startShop(t, { settings: { jwtSecret } })
  const token = await shopToken({ 'x-service-user-id': '7' })
  assert.deepEqual(await trellis.graphql(query, {}, bearing(token)), { data: { book: [{ id: 1 }] } })
  const pretending = bearing(token, { 'x-service-user-id': '8' })
  assert.deepEqual(await trellis.graphql(query, {}, pretending), { data: { book: [{ id: 1 }] } })
  const operation = await trellis.opError('export_metadata', {}, bearing(token))
  assert.deepEqual(operation, {
    status: 400,
    body: { path: '$.args', error: 'restricted access : admin only', code: 'access-denied' },
  })
})

test('a refused token is answered in the form of the endpoint', async (t) => {
  const trellis = await startShop(t, { settings: { jwtSecret, unauthorizedRole: 'anonymous' } })
  const expired = await sign({ aud: 'shop', exp: inSeconds(-5) })
  const message = 'Could not verify JWT: JWTExpired'
  const hint = 'the time of the claim "exp" has passed'
  const errors = [{ extensions: { path: '$', code: 'invalid-jwt', hint }, message }]
  const call = { ...bearing(expired), body: { query } }
  const graphql = await trellis.request('/v1/graphql', call)
  assert.deepEqual([graphql.status, graphql.body], [200, { errors }])
  const alpha = await trellis.request('/v1alpha1/graphql', call)
  assert.deepEqual([alpha.status, alpha.body], [400, { errors }])
  // Authentication is checked before the body.
  const broken = await trellis.request('/v1/query', { ...bearing(expired), body: '{' })
  assert.deepEqual([broken.status, broken.body], [400, { path: '$', error: message, code: 'invalid-jwt', hint }])
})

test('attacks on tokens reach no data, not even that of the unauthorized role', async (t) => {
  const observe = recordingObserver()
  const trellis = await startShop(t, { observe, settings: { jwtSecret, unauthorizedRole: 'anonymous' } })
  const titles = '{ book { title } }'
  const anonymous = { data: { book: [{ title: 'Dawn' }, { title: 'Ebb' }] } }
  assert.deepEqual(await trellis.graphql(titles), anonymous)
  const [header, payload, signature] = (await shopToken()).split('.')
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`
  const attacks: Record<string, string>[] = [
    { authorization: `Bearer ${unsigned}` },
    { authorization: `Bearer ${header}.${payload}.${signature}x` },
    { authorization: `Bearer ${await tokenFor()}` },
    { authorization: `Bearer ${await shopToken()}`, 'x-service-role': 'admin' },
    { authorization: `Bearer ${await shopToken()}`, 'x-service-role': 'anonymous' },
    { authorization: `bearer ${await shopToken()}` },
    { authorization: '' },
    { 'x-service-admin-secret': 'guess' },
    { 'x-service-admin-secret': '', authorization: `Bearer ${await shopToken()}` },
  ]
  for (const headers of attacks) {
    const answer = await trellis.graphql<{ data?: unknown }>(titles, {}, { headers })
    assert.equal(answer.data, undefined, JSON.stringify(headers))
  }
  const huge = await trellis.request('/v1/graphql', { ...bearing('x'.repeat(20_000)), body: { query: titles } })
  assert.equal(huge.status, 431)
  assert.doesNotMatch(JSON.stringify(observe.entries), new RegExp(`sesame|${macKey}|${signature}`))
})

test('the configuration endpoint describes tokens without the key', async (t) => {
  const trellis = await startTrellis(t, { settings: { adminSecret: 'sesame', jwtSecret } })
  const { body, text } = await trellis.request<Record<string, unknown>>('/v1alpha1/config', admin)
  const { is_admin_secret_set, is_auth_hook_set, is_jwt_set, jwt } = body
  assert.deepEqual([is_admin_secret_set, is_auth_hook_set, is_jwt_set], [true, false, true])
  assert.deepEqual(jwt, { claims_namespace: namespace, claims_format: 'json' })
  assert.equal(text.includes(macKey), false)
  const settings = { adminSecret: 'sesame', jwtSecret, graphqlInterface: '2' } as const
  const later = await startTrellis(t, { database: trellis.database, settings })
  const { body: listed } = await later.request<{ jwt: unknown }>('/v1alpha1/config', admin)
  assert.deepEqual(listed.jwt, [{ claims_namespace: namespace, claims_format: 'json', claims_map: null }])
})

test('the webhook decides, and its failure refuses requests', async (t) => {
  let status = 200
  const hook = await startOther(t, ({ headers }) => ({
    status,
    body: headers['x-badge'] === 'blue' ? { 'x-service-role': 'reader', 'x-service-user-id': '8' } : {},
  }))
  const trellis = await startShop(t, { settings: { authHook: hook.url } })
  const badge = { headers: { 'x-badge': 'blue', 'x-service-role': 'admin' } }
  assert.deepEqual(await trellis.graphql(query, {}, badge), { data: { book: [{ id: 2 }] } })
  const { body: config } = await trellis.request<Record<string, unknown>>('/v1alpha1/config', admin)
  assert.deepEqual([config['is_auth_hook_set'], config['is_jwt_set'], config['jwt']], [true, false, null])
  const refusal = async () => {
    const { status, body } = await trellis.request('/v1alpha1/graphql', { ...badge, body: { query } })
    const [error] = (body as { errors: { message: string; extensions: { code: string } }[] }).errors
    return [status, error?.extensions.code, error?.message]
  }
  status = 401
  assert.deepEqual(await refusal(), [401, 'access-denied', 'Authentication hook unauthorized this request'])
  status = 500
  assert.deepEqual(await refusal(), [500, 'unexpected', 'Invalid response from authorization hook'])
  await hook.stop()
  assert.deepEqual(await refusal(), [500, 'unexpected', 'webhook authentication request failed'])
  assert.deepEqual(await trellis.graphql(query, {}, admin), { data: { book: [{ id: 1 }, { id: 2 }] } })
})

test('contradictory options end the start with one line, without the key', async (t) => {
  const { url } = await testDatabase(t)
  const start = async (env: Record<string, string>) => {
    const args = ['--database-url', url, '--server-host', '127.0.0.1', '--server-port', '0']
    const { code, stderr, stdout } = await spawnTrellis(t, args, env).ended
    assert.equal(code, 1)
    assert.doesNotMatch(stdout + stderr, /hidden/)
    return stderr
  }
  const secrets = '--admin-secret (SERVICE_GRAPHQL_ADMIN_SECRET) or  --access-key (SERVICE_GRAPHQL_ACCESS_KEY)'
  assert.equal(
    await start({ SERVICE_GRAPHQL_JWT_SECRET: '{"type":"HS256","key":"hidden"}' }),
    `Fatal Error : --jwt-secret (SERVICE_GRAPHQL_JWT_SECRET) requires ${secrets} to be set\n`,
  )
  const guarded = { SERVICE_GRAPHQL_ADMIN_SECRET: 'hidden' }
  assert.equal(
    await start({ ...guarded, SERVICE_GRAPHQL_JWT_SECRET: '{"type":"HS256","key":"hidden"}' }),
    'Fatal Error: --jwt-secret (SERVICE_GRAPHQL_JWT_SECRET): Invalid JWK: Key size too small; should be atleast 32 characters\n',
  )
  const keys = await startOther(t, () => ({ status: 404 }))
  assert.equal(
    await start({ ...guarded, SERVICE_GRAPHQL_JWT_SECRET: JSON.stringify({ jwk_url: keys.url }) }),
    `Fatal Error: --jwt-secret (SERVICE_GRAPHQL_JWT_SECRET): Non-2xx response on fetching JWK from: ${keys.url}/\n`,
  )
})
