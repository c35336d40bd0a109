import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearer, jwtAuth, namespace, refused, roles, sign } from './tokens.ts'

const map = {
  'x-service-allowed-roles': { path: '$.realm.roles' },
  'X-Service-Default-Role': { path: '$.realm.main', default: 'reader' },
  'x-service-user-id': { path: '$.sub' },
  'x-service-org': { path: '$.orgs[0]', default: 'none' },
  'x-service-app': 'shop',
}

test('session variables come from paths in the token, from defaults, or are fixed', async (t) => {
  const auth = await jwtAuth(t, { claims_map: map })
  const payload = { sub: '7', realm: { roles: ['reader', 'editor'], main: 'editor' }, orgs: ['3'] }
  const session = await bearer(auth, await sign(payload))
  const variables = { 'x-service-user-id': '7', 'x-service-org': '3', 'x-service-app': 'shop' }
  assert.deepEqual([session.role, session.variables], ['editor', { ...variables, 'x-service-role': 'editor' }])
  const plain = await bearer(auth, await sign({ sub: '7', realm: { roles: ['reader'] } }))
  assert.deepEqual([plain.role, plain.variables['x-service-org']], ['reader', 'none'])
})

test('roles can be fixed', async (t) => {
  const fixed = { 'x-service-allowed-roles': ['reader'], 'x-service-default-role': 'reader' }
  const auth = await jwtAuth(t, { claims_map: fixed })
  assert.deepEqual((await bearer(auth, await sign({}))).variables, { 'x-service-role': 'reader' })
})

test('the map replaces the namespace, and the other dialect ignores namespace and format', async (t) => {
  const claims = { ...roles, 'x-service-secret-power': 'yes' }
  const payload = { [namespace]: claims, x: claims, sub: '7', realm: { roles: ['reader'] } }
  const token = await sign(payload)
  const auth = await jwtAuth(t, { claims_map: map })
  assert.equal('x-service-secret-power' in (await bearer(auth, token)).variables, false)
  const ofHasura = Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name.toLowerCase().replace('service', 'hasura'), value]),
  )
  const unread = { claims_map: ofHasura, claims_namespace: 'x', claims_format: 'stringified_json' }
  const hasura = await jwtAuth(t, unread, { settings: { dialect: 'hasura' } })
  const { variables } = await bearer(hasura, token)
  assert.deepEqual([variables['x-hasura-role'], variables['x-hasura-user-id']], ['reader', '7'])
})

test('mapped claims must exist and have the right type', async (t) => {
  const auth = await jwtAuth(t, { claims_map: map })
  const realm = { roles: ['reader'] }
  const answer = async (payload: Record<string, unknown>, code: string, message: string) =>
    refused(bearer(auth, await sign(payload)), 400, code, message)
  const noRoles = 'JWT claim does not contain x-service-allowed-roles'
  await answer({ sub: '7' }, 'jwt-missing-role-claims', noRoles)
  await answer({ sub: '7', realm: { roles: null } }, 'jwt-missing-role-claims', noRoles)
  await answer({ realm }, 'jwt-invalid-claims', 'JWT claim from claims_map, x-service-user-id not found')
  const text = 'parsing Text failed, expected String, but encountered Number'
  await answer({ realm, sub: 7 }, 'jwt-invalid-claims', `x-service-* claims: ${text}`)
  const single = `invalid x-service-default-role; should be a single role name: ${text}`
  await answer({ realm: { ...realm, main: 1 }, sub: '7' }, 'jwt-invalid-claims', single)
  const { 'x-service-user-id': _, ...withoutUser } = map
  const denied = bearer(await jwtAuth(t, { claims_map: withoutUser }), await sign({ realm }), {
    'x-service-role': 'boss',
  })
  await refused(denied, 400, 'access-denied', 'Your requested role is not in allowed roles')
})

test('a map without the roles or with an invalid source ends the start', async (t) => {
  const fatal = (claims_map: unknown, reason: string) =>
    assert.rejects(jwtAuth(t, { claims_map }), { message: `--jwt-secret (SERVICE_GRAPHQL_JWT_SECRET): ${reason}` })
  const { 'x-service-allowed-roles': allowed, ...withoutAllowed } = map
  await fatal(withoutAllowed, 'x-service-allowed-roles is expected but not found')
  await fatal({ 'x-service-allowed-roles': allowed }, 'x-service-default-role is expected but not found')
  await fatal({ ...map, org: 'x' }, 'claims_map: "org" does not start with x-service-')
  const text = 'claims_map: "x-service-org" must be a text or {"path": ..., "default"?: ...}'
  for (const source of [1, null, ['a'], {}]) await fatal({ ...map, 'x-service-org': source }, text)
  const list = 'claims_map: "x-service-allowed-roles" must be a list of texts or {"path": ..., "default"?: ...}'
  for (const source of ['reader', [1]]) await fatal({ ...map, 'x-service-allowed-roles': source }, list)
  const path = { path: '$.a b' }
  await fatal({ ...map, 'x-service-org': path }, 'claims_map: invalid JSON path of "x-service-org": "$.a b"')
})

test('administrators see the map', async (t) => {
  const { configuration } = await jwtAuth(t, { claims_map: map })
  assert.deepEqual(configuration, { claims_namespace: namespace, claims_format: 'json', claims_map: map })
})
