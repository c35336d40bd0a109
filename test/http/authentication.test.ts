import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import type { Authenticator } from '../../core/auth/auth.ts'
import { Auth } from '../../core/auth/auth.ts'
import { defaultSettings, type GivenSettings, type Settings } from '../../core/engine/options.ts'
import { badRequest, TrellisError } from '../../core/errors/errors.ts'
import { dialects } from '../../core/names/dialect.ts'
import { openConnection, serveRoutes } from './server.ts'

function auth(settings: GivenSettings, dialect: Settings['dialect'] = 'trellis') {
  return new Auth(defaultSettings(settings), dialects[dialect])
}

const refusal = (status: number, code: string, message: string) => (error: unknown) => {
  assert.ok(error instanceof TrellisError)
  assert.deepEqual(
    { status: error.status, code: error.code, message: error.message, path: error.path },
    { status, code, message, path: [] },
  )
  return true
}

const required = 'x-service-admin-secret/x-service-access-key required, but not found'
const invalid = 'invalid x-service-admin-secret/x-service-access-key'
const badBoolean =
  'x-service-use-backend-only-permissions:  Not a valid boolean text. True values are ["true","t","yes","y"] and  False values are ["false","f","no","n"]. All values are case insensitive'

test('without an admin secret every request is trusted with the role it asks for', async () => {
  const open = auth({})
  assert.equal(open.mode, 'none')
  assert.deepEqual(await open.authenticate({}), {
    role: 'admin',
    variables: { 'x-service-role': 'admin' },
    backendOnly: false,
  })
  const headers = { 'x-service-role': 'clerk', 'x-service-user-id': '7', 'x-other': 'no', host: 'h' }
  assert.deepEqual(await open.authenticate(headers), {
    role: 'clerk',
    variables: { 'x-service-role': 'clerk', 'x-service-user-id': '7' },
    backendOnly: false,
  })
})

test('an empty role counts as absent', async () => {
  const session = await auth({}).authenticate({ 'x-service-role': '' })
  assert.deepEqual(session.variables, { 'x-service-role': 'admin' })
})

test('the admin secret allows any role and is not kept in the session', async () => {
  const guarded = auth({ adminSecret: 'sesame' })
  assert.equal(guarded.mode, 'admin-secret')
  const headers = { 'x-service-admin-secret': 'sesame', 'x-service-access-key': 'old', 'x-service-role': 'clerk' }
  assert.deepEqual(await guarded.authenticate(headers), {
    role: 'clerk',
    variables: { 'x-service-role': 'clerk' },
    backendOnly: false,
    identity: { secret: 'admin secret' },
  })
  assert.equal((await guarded.authenticate({ 'x-service-access-key': 'sesame' })).role, 'admin')
})

test('the access key is an alias, and the admin secret takes precedence', async () => {
  const alias = auth({ accessKey: 'old' })
  assert.equal((await alias.authenticate({ 'x-service-admin-secret': 'old' })).role, 'admin')
  const both = auth({ accessKey: 'old', adminSecret: 'new' })
  assert.throws(() => both.authenticate({ 'x-service-access-key': 'old' }), refusal(401, 'access-denied', invalid))
})

test('a missing secret and a wrong one have different errors', () => {
  const guarded = auth({ adminSecret: 'sesame' })
  assert.throws(() => guarded.authenticate({ 'x-service-role': 'admin' }), refusal(401, 'access-denied', required))
  for (const secret of ['', 'Sesame', 'sesame ', 'x'.repeat(5000)]) {
    const headers = { 'x-service-admin-secret': secret, 'x-service-access-key': 'sesame' }
    assert.throws(() => guarded.authenticate(headers), refusal(401, 'access-denied', invalid))
  }
})

test('a request without the secret has the unauthorized role, even if it asks for another', async () => {
  const guarded = auth({ adminSecret: 'sesame', unauthorizedRole: 'anonymous' })
  const headers = { 'x-service-role': 'admin', 'x-service-cart': '5', 'x-service-use-backend-only-permissions': 'true' }
  assert.deepEqual(await guarded.authenticate(headers), {
    role: 'anonymous',
    variables: {
      'x-service-role': 'anonymous',
      'x-service-cart': '5',
      'x-service-use-backend-only-permissions': 'true',
    },
    backendOnly: false,
  })
  const wrong = { 'x-service-admin-secret': 'guess' }
  assert.throws(() => guarded.authenticate(wrong), refusal(401, 'access-denied', invalid))
})

test('a trusted request may use backend-only permissions', async () => {
  const ask = async (value: string) =>
    (await auth({}).authenticate({ 'x-service-role': 'clerk', 'x-service-use-backend-only-permissions': value }))
      .backendOnly
  for (const value of ['true', 'T', 'Yes', 'y']) assert.equal(await ask(value), true)
  for (const value of ['false', 'F', 'no', 'N']) assert.equal(await ask(value), false)
  for (const value of ['1', '', 'truth']) await assert.rejects(ask(value), refusal(400, 'bad-request', badBoolean))
})

test('the hasura dialect uses its own names', async () => {
  const guarded = auth({ adminSecret: 'sesame' }, 'hasura')
  const headers = { 'x-hasura-admin-secret': 'sesame', 'x-hasura-role': 'clerk', 'x-service-role': 'boss' }
  assert.deepEqual((await guarded.authenticate(headers)).variables, { 'x-hasura-role': 'clerk' })
  const message = 'x-hasura-admin-secret/x-hasura-access-key required, but not found'
  assert.throws(() => guarded.authenticate({}), refusal(401, 'access-denied', message))
})

test('an authenticator decides about requests without the secret, and there can be only one', async () => {
  const guarded = auth({ adminSecret: 'sesame', unauthorizedRole: 'anonymous' })
  const badge: Authenticator = {
    mode: 'badge',
    configuration: { colour: 'red' },
    async authenticate(headers) {
      if (!headers['x-badge']) throw badRequest('invalid-headers', 'no badge')
      return { role: 'guard', variables: { 'x-service-role': 'guard' }, backendOnly: false }
    },
  }
  guarded.use(badge)
  assert.equal(guarded.mode, 'badge')
  assert.deepEqual(guarded.configuration, { colour: 'red' })
  assert.equal((await guarded.authenticate({ 'x-badge': '1' })).role, 'guard')
  assert.equal((await guarded.authenticate({ 'x-service-admin-secret': 'sesame' })).role, 'admin')
  await assert.rejects(async () => guarded.authenticate({}), refusal(400, 'invalid-headers', 'no badge'))
  assert.throws(() => guarded.use({ ...badge, mode: 'jwt' }), /"badge" and "jwt" cannot be used at the same time/)
  assert.throws(() => auth({}).use(badge), /"badge" needs an admin secret/)
})

test('session variables and secrets in UTF-8 arrive unchanged', async (t) => {
  const secret = 'sésame 🚪'
  const { port } = await serveRoutes(
    t,
    [{ method: 'GET', url: '/me', auth: 'session', handle: ({ session }) => session.variables }],
    { settings: { adminSecret: secret } },
  )
  const raw = (text: string) => Buffer.from(text).toString('latin1')
  const headers = { 'x-service-admin-secret': raw(secret), 'x-service-role': raw('gäst'), 'x-service-name': raw('🚢') }
  const answer = await new Promise<string>((resolve, reject) => {
    const sent = request({ port, path: '/me', headers }, (response) => {
      response.toArray().then((chunks) => resolve(Buffer.concat(chunks).toString()), reject)
    })
    sent.on('error', reject).end()
  })
  assert.deepEqual(JSON.parse(answer), { 'x-service-role': 'gäst', 'x-service-name': '🚢' })
})

test('headers that a proxy adds are read even after thousands of headers of the client', async (t) => {
  const { port } = await serveRoutes(
    t,
    [{ method: 'GET', url: '/me', auth: 'session', handle: ({ session }) => session.variables }],
    { settings: { adminSecret: 'sesame' } },
  )
  const socket = await openConnection(t, port)
  const head = 'GET /me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Service-Admin-Secret: sesame\r\n'
  socket.write(`${head}${'a:\r\n'.repeat(3000)}X-Service-Role: clerk\r\n\r\n`)
  const answer = String(await socket.toArray().then(Buffer.concat))
  assert.equal(answer.slice(answer.indexOf('\r\n\r\n')).trim(), '{"x-service-role":"clerk"}')
})
