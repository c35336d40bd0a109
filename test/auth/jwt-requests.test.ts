import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TrellisError } from '../../core/errors/errors.ts'
import {
  bearer,
  inSeconds,
  jwtAuth,
  macKey,
  namespace,
  refused,
  roles,
  sign,
  signText,
  tokenFor,
  unverified,
} from './tokens.ts'

const allowed = 'x-service-allowed-roles'
const standard = 'x-service-default-role'

test('a token gives its default role and its session variables, and the session ends with its exp', async (t) => {
  const auth = await jwtAuth(t)
  assert.equal(auth.mode, 'jwt')
  const exp = inSeconds(60)
  const claims = { ...roles, 'X-Service-User-Id': '7', 'x-service-orgs': '{1,2}', department: 'none of ours' }
  assert.deepEqual(await bearer(auth, await sign({ [namespace]: claims, exp })), {
    role: 'reader',
    variables: { 'x-service-role': 'reader', 'x-service-user-id': '7', 'x-service-orgs': '{1,2}' },
    backendOnly: false,
    expiresAt: exp * 1000,
  })
})

test('a session by a token without exp never ends', async (t) => {
  const session = await bearer(await jwtAuth(t), await sign({ [namespace]: roles, exp: undefined }))
  assert.equal('expiresAt' in session, false)
})

test('the requested role must be allowed, and so must the default role', async (t) => {
  const auth = await jwtAuth(t)
  const token = await tokenFor()
  const asked = await bearer(auth, token, { 'x-service-role': 'editor' })
  assert.deepEqual([asked.role, asked.variables['x-service-role']], ['editor', 'editor'])
  assert.equal((await bearer(auth, token, { 'x-service-role': '' })).role, 'reader')
  const message = 'Your requested role is not in allowed roles'
  for (const role of ['admin', 'Reader', 'reader,editor']) {
    await refused(bearer(auth, token, { 'x-service-role': role }), 400, 'access-denied', message)
  }
  const outside = await tokenFor({ [standard]: 'admin' })
  await refused(bearer(auth, outside), 400, 'access-denied', message)
  assert.equal((await bearer(auth, outside, { 'x-service-role': 'editor' })).role, 'editor')
})

test('a token may allow the role admin, without backend-only permissions', async (t) => {
  const token = await tokenFor({ [allowed]: ['admin'], [standard]: 'admin' })
  const session = await bearer(await jwtAuth(t), token, { 'x-service-use-backend-only-permissions': 'true' })
  assert.deepEqual([session.role, session.backendOnly], ['admin', false])
})

test('the admin secret takes precedence over the token', async (t) => {
  const auth = await jwtAuth(t)
  const headers = { 'x-service-admin-secret': 'sesame', authorization: 'nonsense', 'x-service-role': 'boss' }
  assert.equal((await auth.authenticate(headers)).role, 'boss')
  const wrong = { 'x-service-admin-secret': 'guess', authorization: `Bearer ${await tokenFor()}` }
  const message = 'invalid x-service-admin-secret/x-service-access-key'
  await refused(() => auth.authenticate(wrong), 401, 'access-denied', message)
})

test('a request without a token is refused, or has the unauthorized role', async (t) => {
  const missing = 'Missing Authorization header in JWT authentication mode'
  const closed = await jwtAuth(t)
  await refused(() => closed.authenticate({}), 400, 'invalid-headers', missing)
  const open = await jwtAuth(t, {}, { settings: { unauthorizedRole: 'anonymous' } })
  assert.deepEqual(await open.authenticate({ 'x-service-role': 'admin', 'x-service-cart': '5' }), {
    role: 'anonymous',
    variables: { 'x-service-role': 'anonymous', 'x-service-cart': '5' },
    backendOnly: false,
  })
})

test('a header other than "Bearer" and a token is malformed, with or without an unauthorized role', async (t) => {
  const token = await tokenFor()
  for (const settings of [{}, { unauthorizedRole: 'anonymous' }]) {
    const auth = await jwtAuth(t, {}, { settings })
    for (const authorization of ['', 'Bearer', token, `bearer ${token}`, `Basic ${token}`, `Bearer ${token} x`]) {
      await refused(
        () => auth.authenticate({ authorization }),
        400,
        'invalid-headers',
        'Malformed Authorization header',
      )
    }
    assert.equal((await auth.authenticate({ authorization: ` Bearer   ${token} ` })).role, 'reader')
  }
})

test('time claims are checked if present, with the configured leeway', async (t) => {
  const auth = await jwtAuth(t)
  const patient = await jwtAuth(t, { allowed_skew: 60 })
  const cases: [Record<string, unknown>, string][] = [
    [{ exp: inSeconds(-10) }, 'JWTExpired'],
    [{ exp: inSeconds(0) }, 'JWTExpired'],
    [{ nbf: inSeconds(30) }, 'JWTNotYetValid'],
    [{ iat: inSeconds(30) }, 'JWTIssuedAtFuture'],
  ]
  for (const [times, reason] of cases) {
    const token = await sign({ [namespace]: roles, ...times })
    await unverified(bearer(auth, token), reason)
    assert.equal((await bearer(patient, token)).role, 'reader', reason)
  }
  const past = await sign({ [namespace]: roles, nbf: inSeconds(-1), iat: inSeconds(0) })
  assert.equal((await bearer(auth, past)).role, 'reader')
})

test('a configured audience must be in the token', async (t) => {
  const auth = await jwtAuth(t, { audience: ['shop', 'desk'] })
  const withAudience = (aud: unknown) => sign({ [namespace]: roles, aud })
  assert.equal((await bearer(auth, await withAudience('desk'))).role, 'reader')
  for (const aud of ['other', ['other'], [], 'shop,desk', undefined]) {
    await unverified(bearer(auth, await withAudience(aud)), 'JWTNotInAudience')
  }
  const any = await jwtAuth(t)
  assert.equal((await bearer(any, await withAudience('whoever'))).role, 'reader')
})

test('the hasura dialect accepts a token without an audience, but not one with another audience', async (t) => {
  const auth = await jwtAuth(t, { audience: 'shop' }, { settings: { dialect: 'hasura' } })
  const claims = { 'x-hasura-allowed-roles': ['reader'], 'x-hasura-default-role': 'reader' }
  assert.equal((await bearer(auth, await sign({ [namespace]: claims }))).role, 'reader')
  await unverified(bearer(auth, await sign({ [namespace]: claims, aud: 'other' })), 'JWTNotInAudience')
})

test('a configured issuer must match if the token has one', async (t) => {
  const auth = await jwtAuth(t, { issuer: 'https://issuer.test' })
  assert.equal((await bearer(auth, await sign({ [namespace]: roles, iss: 'https://issuer.test' }))).role, 'reader')
  assert.equal((await bearer(auth, await sign({ [namespace]: roles }))).role, 'reader')
  for (const iss of ['https://issuer.test/', '']) {
    await unverified(bearer(auth, await sign({ [namespace]: roles, iss })), 'JWTNotInIssuer')
  }
})

test('registered claims of a wrong type are refused', async (t) => {
  const auth = await jwtAuth(t, { audience: 'shop', issuer: 'me' })
  const cases: [Record<string, unknown>, string][] = [
    [{ exp: 'never' }, 'exp is not a number'],
    [{ nbf: '0' }, 'nbf is not a number'],
    [{ iat: null }, 'iat is not a number'],
    [{ iss: ['me'] }, 'iss is not a text'],
    [{ aud: { shop: true } }, 'aud is neither a text nor a list of texts'],
    [{ aud: ['shop', 1] }, 'aud is neither a text nor a list of texts'],
  ]
  for (const [claims, reason] of cases) {
    const token = await signText(JSON.stringify({ [namespace]: roles, ...claims }))
    await unverified(bearer(auth, token), `JWTClaimsSetDecodeError "${reason}"`)
  }
  for (const text of ['', 'text', '[]', 'null', '{"a":']) {
    const token = await signText(text)
    await unverified(bearer(auth, token), 'JWTClaimsSetDecodeError "the payload is not a JSON object"')
  }
})

test('claims are read from the configured namespace', async (t) => {
  const token = await sign({ 'https://example.org/claims': roles })
  const auth = await jwtAuth(t, { claims_namespace: 'https://example.org/claims' })
  assert.equal((await bearer(auth, token)).role, 'reader')
  const missing = `claims key: '${namespace}' not found`
  await refused(bearer(await jwtAuth(t), token), 400, 'jwt-invalid-claims', missing)
  const inherited = await jwtAuth(t, { claims_namespace: 'constructor' })
  await refused(bearer(inherited, token), 400, 'jwt-invalid-claims', "claims key: 'constructor' not found")
})

test('claims are read from the configured path', async (t) => {
  const token = await sign({ app: { 'the claims': [roles] } })
  const path = "$.app['the claims'][0]"
  assert.equal((await bearer(await jwtAuth(t, { claims_namespace_path: path }), token)).role, 'reader')
  const whole = await jwtAuth(t, { claims_namespace_path: '$' })
  assert.equal((await bearer(whole, await sign(roles))).role, 'reader')
  const missing = "claims not found at claims_namespace_path: '$.app.claims'"
  const auth = await jwtAuth(t, { claims_namespace_path: '$.app.claims' })
  await refused(bearer(auth, token), 400, 'jwt-invalid-claims', missing)
})

test('claims are an object, or its JSON text if that is configured', async (t) => {
  const json = await jwtAuth(t)
  const text = await jwtAuth(t, { claims_format: 'stringified_json' })
  const textAt = await jwtAuth(t, { claims_format: 'stringified_json', claims_namespace_path: '$.c' })
  const invalid = (request: Promise<unknown>, message: string) => refused(request, 400, 'jwt-invalid-claims', message)
  assert.equal((await bearer(text, await sign({ [namespace]: JSON.stringify(roles) }))).role, 'reader')
  for (const claims of [JSON.stringify(roles), [roles], null]) {
    const token = await sign({ [namespace]: claims })
    await invalid(bearer(json, token), 'expecting a json object when claims_format is json')
  }
  const object = await tokenFor()
  await invalid(bearer(text, object), 'expecting a string when claims_format is stringified_json')
  const found = (place: string, what: string) => `expecting stringified json at: '${place}', but found: ${what}`
  await invalid(bearer(text, await sign({ [namespace]: 'no' })), found(`claims_namespace ${namespace}`, 'no'))
  await invalid(bearer(text, await sign({ [namespace]: '[1]' })), found(`claims_namespace ${namespace}`, '[1]'))
  await invalid(bearer(textAt, await sign({ c: '{' })), found('claims_namespace_path $.c', '{'))
})

test('both role claims are required in their forms', async (t) => {
  const auth = await jwtAuth(t)
  const claims = (given: Record<string, unknown>) => sign({ [namespace]: given })
  const missing = async (given: Record<string, unknown>, name: string) =>
    refused(bearer(auth, await claims(given)), 400, 'jwt-missing-role-claims', `JWT claim does not contain ${name}`)
  await missing({}, allowed)
  await missing({ [standard]: 'reader' }, allowed)
  await missing({ [allowed]: ['reader'] }, standard)
  const invalid = async (given: Record<string, unknown>, message: string) =>
    refused(bearer(auth, await claims({ ...roles, ...given })), 400, 'jwt-invalid-claims', message)
  const list = `invalid ${allowed}; should be a list of roles: `
  const one = `invalid ${standard}; should be a single role name: `
  await invalid({ [allowed]: 'reader' }, `${list}parsing [] failed, expected Array, but encountered String`)
  await invalid({ [allowed]: ['reader', 1] }, `${list}parsing Text failed, expected String, but encountered Number`)
  await invalid({ [allowed]: [''] }, `${list}empty string not allowed`)
  await invalid({ [standard]: ['reader'] }, `${one}parsing Text failed, expected String, but encountered Array`)
  await invalid({ [standard]: 5 }, `${one}parsing Text failed, expected String, but encountered Number`)
})

test('other claims must be texts', async (t) => {
  const token = await tokenFor({ 'x-service-user-id': 7 })
  const message = 'x-service-* claims: parsing Text failed, expected String, but encountered Number'
  await refused(bearer(await jwtAuth(t), token), 400, 'jwt-invalid-claims', message)
  // The role is checked first, so that a client without it learns nothing about the claims.
  const denied = bearer(await jwtAuth(t), token, { 'x-service-role': 'admin' })
  await refused(denied, 400, 'access-denied', 'Your requested role is not in allowed roles')
})

test('a hint names the claim that is wrong', async (t) => {
  const auth = await jwtAuth(t, { audience: 'shop', issuer: 'bank' })
  const hintOf = async (request: Promise<unknown>) => {
    const error: unknown = await request.catch((reason: unknown) => reason)
    return error instanceof TrellisError ? error.shownHelp.hint : 'no error'
  }
  const roleClaims = { [namespace]: roles, aud: 'shop' }
  const of = async (payload: object, headers = {}) =>
    hintOf(bearer(auth, await sign({ ...roleClaims, ...payload }), headers))
  assert.equal(await of({ exp: 1 }), 'the time of the claim "exp" has passed')
  assert.equal(await of({ iat: 1e11 }), 'the time of the claim "iat" has not come')
  assert.equal(await of({ nbf: 1e11 }), 'the time of the claim "nbf" has not come')
  assert.equal(await of({ aud: 'other' }), 'the claim "aud" does not hold a configured audience')
  assert.equal(await of({ iss: 'other' }), 'the claim "iss" is not the configured issuer')
  const claims = { [namespace]: { ...roles, 'x-service-user-id': 7 } }
  assert.equal(await of(claims), 'the claim "x-service-user-id" must be a text')
  const asked = { 'x-service-role': 'boss' }
  assert.equal(await of({}, asked), 'the claim "x-service-allowed-roles" does not list "boss"')
})

test('a token can be in a cookie', async (t) => {
  const header = { type: 'Cookie', name: 'session' }
  const auth = await jwtAuth(t, { header })
  const token = await tokenFor()
  for (const cookie of [`session=${token}`, `a=b; session=${token}; c`, `x_session=1;session="${token}"`]) {
    assert.equal((await auth.authenticate({ cookie })).role, 'reader', cookie)
  }
  const missing = 'Missing cookie session in JWT authentication mode'
  const elsewhere = { authorization: `Bearer ${token}`, cookie: `sessions=${token}` }
  await refused(() => auth.authenticate(elsewhere), 400, 'invalid-headers', missing)
  const open = await jwtAuth(t, { header }, { settings: { unauthorizedRole: 'anonymous' } })
  assert.equal((await open.authenticate(elsewhere)).role, 'anonymous')
  for (const cookie of ['session=', 'session=a b']) {
    await refused(() => open.authenticate({ cookie }), 400, 'invalid-headers', 'Malformed cookie session')
  }
})

test('a token can be in a header of any name', async (t) => {
  const auth = await jwtAuth(t, { header: { type: 'CustomHeader', name: 'X-Token' } })
  const token = await tokenFor()
  for (const value of [token, `Bearer ${token}`]) {
    assert.equal((await auth.authenticate({ 'x-token': value })).role, 'reader')
  }
  const missing = 'Missing header x-token in JWT authentication mode'
  await refused(() => auth.authenticate({ authorization: `Bearer ${token}` }), 400, 'invalid-headers', missing)
  const twice = { 'x-token': `${token}, ${token}` }
  await refused(() => auth.authenticate(twice), 400, 'invalid-headers', 'Malformed header x-token')
})

test('the hasura dialect has its own claim names', async (t) => {
  const auth = await jwtAuth(t, { type: 'HS256', key: macKey }, { settings: { dialect: 'hasura' } })
  const claims = { 'x-hasura-allowed-roles': ['reader'], 'x-hasura-default-role': 'reader', 'x-service-a': 'b' }
  const session = await bearer(auth, await sign({ [namespace]: claims }), { 'x-hasura-role': 'reader' })
  assert.deepEqual(session.variables, { 'x-hasura-role': 'reader' })
  const missing = 'JWT claim does not contain x-hasura-allowed-roles'
  await refused(bearer(auth, await tokenFor()), 400, 'jwt-missing-role-claims', missing)
})
