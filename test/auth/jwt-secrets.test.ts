// Several configurations of tokens: each token is verified by the one that fits its place and issuer.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { GivenSettings } from '../../core/engine/options.ts'
import { StartError } from '../../core/errors/start-error.ts'
import { readCommandLine } from '../../process/settings.ts'
import { builtInOptions, parseSettings } from '../support/built-in-options.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'
import { startOther } from './other-server.ts'
import { bearer, jwtAuth, jwtAuthOf, macKey, namespace, refused, roles, rsaPair, sign, unverified } from './tokens.ts'

const rsa = rsaPair()
const shopKey = 'the secret of the shop, of more than sixty-four characters, for every MAC'

const shop = { type: 'HS256', key: shopKey, issuer: 'shop' }
const staff = { type: 'RS256', key: rsa.pem, issuer: 'staff' }
const anyone = { type: 'HS256', key: macKey }
const inCookie = { ...anyone, header: { type: 'Cookie', name: 'session' } }

const ofShop = (claims: object = {}) =>
  sign({ iss: 'shop', [namespace]: roles, ...claims }, { key: Buffer.from(shopKey) })
const ofStaff = (claims: object = {}) =>
  sign({ iss: 'staff', [namespace]: roles, ...claims }, { alg: 'RS256', key: rsa.privateKey })
const ofAnyone = (claims: object = {}) => sign({ [namespace]: roles, ...claims })

const several = 'more than one JWT configuration fits'

test('each token is verified by the configuration of its issuer, and by no other one', async (t) => {
  const auth = await jwtAuthOf(t, [shop, staff])
  for (const token of [await ofShop(), await ofStaff()]) assert.equal((await bearer(auth, token)).role, 'reader')
  const forged = await sign({ iss: 'staff', [namespace]: roles }, { key: Buffer.from(shopKey) })
  await unverified(bearer(auth, forged), 'JWSError JWSInvalidSignature')
  await unverified(bearer(auth, await ofShop({ exp: 1 })), 'JWTExpired')
})

test('a token that more than one configuration fits is refused, although one of them would verify it', async (t) => {
  const auth = await jwtAuthOf(t, [shop, anyone])
  // Without an issuer on one of the sides, both fit.
  for (const token of [await ofShop(), await ofAnyone()]) await unverified(bearer(auth, token), several)
  assert.equal((await bearer(auth, await ofAnyone({ iss: 'other' }))).role, 'reader')
})

test('tokens are taken from every configured place, and two that fit are refused', async (t) => {
  const auth = await jwtAuthOf(t, [shop, inCookie])
  const cookie = `session=${await ofAnyone()}`
  assert.equal((await bearer(auth, await ofShop())).role, 'reader')
  assert.equal((await auth.authenticate({ cookie })).role, 'reader')
  await unverified(bearer(auth, await ofShop(), { cookie }), several)
  // Of two tokens, one may be for another server.
  assert.equal((await bearer(auth, await ofStaff(), { cookie })).role, 'reader')
  assert.deepEqual([auth.usesCookie({ cookie }), auth.usesCookie({ cookie: 'other=1' })], [true, false])
})

test('a request without a fitting token has the unauthorized role, or is refused without one', async (t) => {
  const withRole = await jwtAuthOf(t, [shop, staff], { unauthorizedRole: 'anyone' })
  const without = await jwtAuthOf(t, [shop, { ...inCookie, issuer: 'staff' }])
  const foreign = await ofAnyone({ iss: 'elsewhere' })
  assert.equal((await bearer(withRole, foreign)).role, 'anyone')
  assert.equal((await withRole.authenticate({})).role, 'anyone')
  await unverified(bearer(without, foreign), 'JWTNotInIssuer')
  const missing = 'Missing Authorization header or cookie session in JWT authentication mode'
  await refused(() => without.authenticate({}), 400, 'invalid-headers', missing)
  await refused(() => withRole.authenticate({ authorization: 'Basic x' }), 400, 'invalid-headers', /^Malformed/)
})

test('a token that cannot be read fits every configuration', async (t) => {
  const auth = await jwtAuthOf(t, [shop, staff])
  for (const token of ['x', 'a.b.c', `e30.${'e'.repeat(70_000)}.x`]) await unverified(bearer(auth, token), several)
})

test('a token of one issuer is not accepted by the key or the algorithm of another', async (t) => {
  const auth = await jwtAuthOf(t, [shop, staff])
  // The public key of one does not count as the secret of a MAC.
  for (const iss of ['shop', 'staff']) {
    const token = await sign({ iss, [namespace]: roles }, { key: Buffer.from(rsa.pem) })
    await unverified(bearer(auth, token), 'JWSError JWSInvalidSignature')
  }
  const swapped = await sign({ iss: 'shop', [namespace]: roles }, { alg: 'RS256', key: rsa.privateKey })
  await unverified(bearer(auth, swapped), 'JWSError JWSInvalidSignature')
  // The issuer counts as it is signed, not as it was first seen.
  const [head, , signature] = (await ofShop()).split('.')
  const claims = Buffer.from(JSON.stringify({ iss: 'staff', [namespace]: roles })).toString('base64url')
  await unverified(bearer(auth, `${head}.${claims}.${signature}`), 'JWSError JWSInvalidSignature')
})

test('an issuer that is not a text fits no configuration with an issuer', async (t) => {
  const auth = await jwtAuthOf(t, [shop, staff])
  for (const iss of [['shop'], ['shop', 'staff'], null, 7, {}, '']) {
    await unverified(bearer(auth, await ofShop({ iss })), 'JWTNotInIssuer')
  }
  const others = await jwtAuthOf(t, [shop, anyone])
  for (const iss of [['shop'], null, 7]) {
    await unverified(bearer(others, await ofAnyone({ iss })), 'JWTClaimsSetDecodeError "iss is not a text"')
  }
})

test('a key set that cannot be fetched ends the start, and its place is named', async (t) => {
  const down = { jwk_url: 'http://127.0.0.1:9/keys', issuer: 'down' }
  await assert.rejects(jwtAuthOf(t, [shop, down]), (error: Error) => {
    assert.ok(error instanceof StartError, error.stack)
    assert.match(error.message, /^--jwt-secret \(SERVICE_GRAPHQL_JWT_SECRET\): \[1\]: Error fetching JWK: /)
    return true
  })
})

test('a key set whose server is down keeps its keys, and the others are refreshed', async (t) => {
  const next = rsaPair()
  const jwkOf = ({ publicKey }: typeof rsa) => publicKey.export({ format: 'jwk' })
  const served = { keys: jwkOf(rsa), isDown: false }
  const headers = { 'cache-control': 'max-age=1' }
  const rotating = await startOther(t, () => ({ body: { keys: [served.keys] }, headers }))
  const failing = await startOther(t, () => {
    return served.isDown ? { status: 500, body: {} } : { body: { keys: [jwkOf(rsa)] }, headers }
  })
  const auth = await jwtAuthOf(t, [
    { jwk_url: rotating.url, issuer: 'rotating' },
    { jwk_url: failing.url, issuer: 'failing' },
  ])
  const of = (iss: string, { privateKey: key }: typeof rsa) => sign({ iss, [namespace]: roles }, { alg: 'RS256', key })
  served.isDown = true
  served.keys = jwkOf(next)
  const [renewed, former] = [await of('rotating', next), await of('rotating', rsa)]
  await eventually(() =>
    bearer(auth, renewed).then(
      ({ role }) => role === 'reader',
      () => false,
    ),
  )
  await unverified(bearer(auth, former), 'JWSError JWSInvalidSignature')
  assert.equal((await bearer(auth, await of('failing', rsa))).role, 'reader')
})

test('a list of one configuration is as strict as the configuration alone', async (t) => {
  const role = { unauthorizedRole: 'anyone' }
  for (const auth of [await jwtAuthOf(t, [shop], role), await jwtAuth(t, shop, { settings: role })]) {
    await unverified(bearer(auth, await ofStaff()), 'JWSError JWSInvalidSignature')
    assert.equal((await auth.authenticate({})).role, 'anyone')
  }
})

const reasons: readonly (readonly [unknown, string])[] = [
  [[], 'Only expecting a JSON object such as {"type": "HS256", "key": "..."}'],
  [[shop, 'text'], 'Only expecting a JSON object such as {"type": "HS256", "key": "..."}'],
  [[shop, { key: macKey }], '[1]: key needs a type'],
  [[{ ...shop, issuers: [] }], '[0]: there is no key "issuers"'],
]

test('a list with a configuration that cannot be used ends the start, which names its place', async (t) => {
  for (const [secret, reason] of reasons) {
    await assert.rejects(jwtAuthOf(t, secret), (error: Error) => {
      assert.ok(error instanceof StartError, error.stack)
      assert.equal(error.message, `--jwt-secret (SERVICE_GRAPHQL_JWT_SECRET): ${reason}`)
      return true
    })
  }
})

/** The option by a command line, variables and a configuration file. */
const given = (flags: readonly string[], variables: Record<string, string> = {}, file: string | null = null) =>
  parseSettings(readCommandLine(flags, builtInOptions), {
    variables,
    readFile: (path) => (path === 'trellis.config.json' ? file : null),
    isPartial: true,
  }).settings

test('the flags and variables in the plural take precedence, and a file may hold the list', () => {
  const one = JSON.stringify(anyone)
  const both = JSON.stringify([shop, staff])
  assert.equal(given(['--jwt-secret', one, '--jwt-secrets', both])['jwtSecret'], both)
  assert.equal(given(['--admin-secret', 'a', '--admin-secrets', '["b"]']).adminSecret, '["b"]')
  const hasura = { HASURA_GRAPHQL_JWT_SECRET: one, HASURA_GRAPHQL_JWT_SECRETS: both }
  assert.equal(given(['--dialect', 'hasura'], hasura)['jwtSecret'], both)
  const file = JSON.stringify({ jwtSecret: [shop, staff] })
  assert.deepEqual(JSON.parse(String(given([], {}, file)['jwtSecret'])), [shop, staff])
})

async function start(t: TestContext, settings: GivenSettings) {
  const trellis = await startTrellis(t, { settings: { adminSecret: 'sesame', ...settings } })
  const configuration = async () => {
    const headers = { 'x-service-admin-secret': 'sesame' }
    return (await trellis.request<{ jwt: unknown }>('/v1alpha1/config', { headers })).body.jwt
  }
  return { ...trellis, configuration }
}

test('a server serves the tokens of two issuers, and lists both configurations', async (t) => {
  const { graphql, configuration } = await start(t, { jwtSecret: JSON.stringify([shop, staff]) })
  for (const token of [await ofShop(), await ofStaff()]) {
    const answer = await graphql('{ __typename }', {}, { headers: { authorization: `Bearer ${token}` } })
    assert.deepEqual(answer, { data: { __typename: 'query_root' } })
  }
  const place = { claims_namespace: namespace, claims_format: 'json' }
  assert.deepEqual(await configuration(), [place, place])
})
