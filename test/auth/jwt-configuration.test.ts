import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StartError } from '../../core/errors/start-error.ts'
import { dialects } from '../../core/names/dialect.ts'
import { certificate, certifiedToken } from './certificate.ts'
import {
  bearer,
  ecPair,
  edPair,
  jwtAuth,
  macKey,
  namespace,
  type Pair,
  roles,
  rsaPair,
  sign,
  tokenFor,
  unverified,
} from './tokens.ts'

const rsa = rsaPair()

/** Asserts that a configuration ends the start with this reason. */
async function fatal(t: test.TestContext, secret: Record<string, unknown>, reason: string, dialect?: 'hasura') {
  await assert.rejects(jwtAuth(t, secret, dialect && { settings: { dialect } }), (error) => {
    assert.ok(error instanceof StartError, String((error as Error).stack))
    const { environmentPrefix } = dialects[dialect ?? 'trellis']
    assert.equal(error.message, `--jwt-secret (${environmentPrefix}JWT_SECRET): ${reason}`)
    return true
  })
}

test('a MAC key verifies only tokens of its type', async (t) => {
  for (const type of ['HS256', 'HS384', 'HS512']) {
    const auth = await jwtAuth(t, { type, key: macKey })
    assert.equal((await bearer(auth, await tokenFor({}, { alg: type }))).role, 'reader')
    for (const alg of ['HS256', 'HS384', 'HS512'].filter((other) => other !== type)) {
      await unverified(bearer(auth, await tokenFor({}, { alg })), 'JWSError JWSInvalidSignature')
    }
  }
})

test('a MAC key must be at least as long as the MAC', async (t) => {
  for (const [type, length] of [
    ['HS256', 32],
    ['HS384', 48],
    ['HS512', 64],
  ] as const) {
    const small = `Invalid JWK: Key size too small; should be atleast ${length} characters`
    await fatal(t, { type, key: 'x'.repeat(length - 1) }, small)
    await jwtAuth(t, { type, key: 'x'.repeat(length) })
  }
})

test('public keys of every type verify the signatures of their private keys', async (t) => {
  const pairs: [string, Pair, string][] = [
    ['RS256', rsa, 'RS256'],
    ['RS384', rsa, 'RS384'],
    ['RS512', rsa, 'RS512'],
    ['ES256', ecPair('P-256'), 'ES256'],
    ['ES384', ecPair('P-384'), 'ES384'],
    ['ES512', ecPair('P-521'), 'ES512'],
    ['Ed25519', edPair(), 'EdDSA'],
    ['Ed25519', edPair(), 'Ed25519'],
  ]
  for (const [type, { pem, privateKey }, alg] of pairs) {
    const auth = await jwtAuth(t, { type, key: pem })
    assert.equal((await bearer(auth, await tokenFor({}, { alg, key: privateKey }))).role, 'reader', alg)
  }
})

test('a public key verifies only the hash length of its type', async (t) => {
  const auth = await jwtAuth(t, { type: 'RS512', key: rsa.pem })
  for (const alg of ['RS256', 'RS384', 'PS512']) {
    const token = await tokenFor({}, { alg, key: rsa.privateKey })
    await unverified(bearer(auth, token), 'JWSError JWSInvalidSignature')
  }
})

test('RSA keys can be PKCS#1, PKCS#8 or an X.509 certificate', async (t) => {
  const key = rsa.publicKey.export({ type: 'pkcs1', format: 'pem' })
  const auth = await jwtAuth(t, { type: 'RS256', key })
  assert.equal((await bearer(auth, await tokenFor({}, { alg: 'RS256', key: rsa.privateKey }))).role, 'reader')
  const byCertificate = await jwtAuth(t, { type: 'RS256', key: certificate })
  assert.equal((await bearer(byCertificate, certifiedToken)).role, 'reader')
})

test('an invalid PEM, or one that does not fit its type, ends the start', async (t) => {
  const pem = 'Invalid JWK: Could not decode PEM'
  await fatal(t, { type: 'RS256', key: macKey }, `${pem}: neither a public key nor an X.509 certificate`)
  await fatal(t, { type: 'ES256', key: rsa.pem }, `${pem}: the key does not fit the type ES256`)
  await fatal(t, { type: 'ES256', key: ecPair('P-384').pem }, `${pem}: the key does not fit the type ES256`)
  const secret = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' })
  await fatal(t, { type: 'RS256', key: secret }, `${pem}: a private key is not needed here`)
  const small = 'Invalid JWK: Key size too small; should be atleast 2048 bits'
  await fatal(t, { type: 'RS256', key: rsaPair(1024).pem }, small)
})

test('a contradictory or incomplete configuration ends the start', async (t) => {
  const key = { type: 'HS256', key: macKey }
  const url = 'http://127.0.0.1:9/'
  await fatal(t, { type: 'HS1', key: macKey }, '$.type: Invalid JWK: Key type: HS1 is not supported')
  await fatal(t, { key: macKey }, 'key needs a type')
  await fatal(t, { ...key, jwk_url: url }, 'key, jwk_url both cannot be present')
  await fatal(t, { key: null, type: 'HS256' }, 'key and jwk_url both cannot be empty')
  await fatal(t, { jwk_url: 'ftp://keys' }, 'jwk_url is not a URL such as https://host/path')
  const both = { ...key, claims_namespace: 'a', claims_namespace_path: '$.a' }
  await fatal(t, both, 'claims_namespace and claims_namespace_path both cannot be set')
  const map = { ...key, claims_map: { 'x-service-allowed-roles': ['a'], 'x-service-default-role': 'a' } }
  for (const [name, value] of [
    ['claims_namespace', 'a'],
    ['claims_namespace_path', '$.a'],
    ['claims_format', 'stringified_json'],
  ] as const) {
    const message = `claims_map replaces ${name}: both cannot be set`
    await fatal(t, { ...map, [name]: value }, message)
  }
  await fatal(t, { ...key, claims_namespace_path: '$.a b' }, 'invalid JSON path claims_namespace_path error: $.a b')
  await fatal(t, { ...key, claims_format: 'xml' }, "$.claims_format: expected one of 'json', 'stringified_json'")
  await fatal(t, { ...key, audience: [] }, '$.audience: empty list not allowed')
  await fatal(t, { ...key, allowed_skew: -1 }, '$.allowed_skew: unexpected negative value')
  await fatal(t, { ...key, header: { type: 'Cookie' } }, 'header of type Cookie needs a name')
})

test('an unknown key ends the start, except in the hasura dialect, where v1.3 accepts it', async (t) => {
  await fatal(t, { audiance: 'me' }, 'there is no key "audiance"')
  const hasura = await jwtAuth(t, { audiance: 'me' }, { settings: { dialect: 'hasura' } })
  assert.equal(hasura.mode, 'jwt')
})

test('a configuration that is not a JSON object is refused without showing it', async (t) => {
  const { authenticateByToken } = await import('../../plugins/auth-jwt/start.ts')
  const reason = 'Only expecting a JSON object such as {"type": "HS256", "key": "..."}'
  for (const text of ['hidden', '["hidden"]', '"hidden"', '{"key": "hidden']) {
    const host = { dialect: dialects.trellis, settings: {} } as unknown as Parameters<typeof authenticateByToken>[0]
    await assert.rejects(authenticateByToken(host, text), {
      message: `--jwt-secret (SERVICE_GRAPHQL_JWT_SECRET): ${reason}`,
    })
  }
  await assert.rejects(jwtAuth(t, { type: 'RS256', key: 'hidden' }), (error) => !/hidden/.test(String(error)))
})

test('administrators see the place and the format of claims', async (t) => {
  const report = async (secret: object) => (await jwtAuth(t, { ...secret })).configuration
  assert.deepEqual(await report({}), { claims_namespace: namespace, claims_format: 'json' })
  assert.deepEqual(await report({ claims_namespace: 'n', claims_format: 'stringified_json' }), {
    claims_namespace: 'n',
    claims_format: 'stringified_json',
  })
  assert.deepEqual(await report({ claims_namespace_path: '$.a.b' }), {
    claims_namespace: '$.a.b',
    claims_format: 'json',
  })
})

test('audience, issuer and leeway can be configured', async (t) => {
  const auth = await jwtAuth(t, { audience: ['shop', 'desk'], issuer: 'https://issuer.test', allowed_skew: 30 })
  const claims = { [namespace]: roles }
  const good = { ...claims, aud: ['other', 'desk'], iss: 'https://issuer.test', exp: Date.now() / 1000 - 20 }
  const session = await bearer(auth, await sign(good))
  assert.equal(session.expiresAt, (good.exp + 30) * 1000)
  const one = await jwtAuth(t, { audience: 'shop' })
  assert.equal((await bearer(one, await sign({ ...claims, aud: 'shop' }))).role, 'reader')
})
