import assert from 'node:assert/strict'
import { createHmac, createSecretKey } from 'node:crypto'
import { test } from 'node:test'
import type { Auth } from '../../core/auth/auth.ts'
import { TokenVerifier } from '../../plugins/auth-jwt/verify.ts'
import {
  bearer,
  ecPair,
  inSeconds,
  jwtAuth,
  macKey,
  namespace,
  refused,
  roles,
  rsaPair,
  sign,
  signText,
  tokenFor,
  unverified,
} from './tokens.ts'

const rsa = rsaPair()

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

const payload = { [namespace]: { 'x-service-allowed-roles': ['admin'], 'x-service-default-role': 'admin' } }

/** Asserts that a token gives neither its own role nor the unauthorized one. */
async function powerless(auth: Auth, token: string, reason: string) {
  await unverified(bearer(auth, token), reason)
  await unverified(bearer(auth, token, { 'x-service-role': 'anonymous' }), reason)
}

const guarded = (t: test.TestContext, secret?: Record<string, unknown>) =>
  jwtAuth(t, secret, { settings: { unauthorizedRole: 'anonymous' } })

test('a token without an algorithm, or with an unknown one, is refused', async (t) => {
  for (const auth of [await guarded(t), await guarded(t, { type: 'RS256', key: rsa.pem })]) {
    for (const alg of ['none', 'None', 'NONE', 'nOnE', 'HS1', 'ES256K', 'dir', '']) {
      for (const signature of ['', encode('x')]) {
        await powerless(auth, `${encode({ alg })}.${encode(payload)}.${signature}`, 'JWSError JWSInvalidSignature')
      }
    }
  }
})

test('the public key is not accepted as the secret of a MAC', async (t) => {
  const der = rsa.publicKey.export({ type: 'spki', format: 'der' })
  const auth = await guarded(t, { type: 'RS256', key: rsa.pem })
  for (const secret of [rsa.pem, rsa.pem.trim(), der]) {
    const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(payload)}`
    const mac = createHmac('sha256', secret).update(text).digest('base64url')
    await powerless(auth, `${text}.${mac}`, 'JWSError JWSInvalidSignature')
  }
})

test('a missing signature or one by another key is refused', async (t) => {
  const auth = await guarded(t, { type: 'RS256', key: rsa.pem })
  const token = await sign(payload, { alg: 'RS256', key: rsaPair().privateKey })
  await powerless(auth, token, 'JWSError JWSInvalidSignature')
  const [header, body, signature] = (await sign(payload, { alg: 'RS256', key: rsa.privateKey })).split('.') as [
    string,
    string,
    string,
  ]
  const invalid = 'JWSError JWSInvalidSignature'
  await powerless(auth, `${header}.${body}.`, invalid)
  await powerless(auth, `${header}.${body}.${signature.slice(0, -8)}`, invalid)
  await powerless(auth, `${header}.${encode({ ...payload, sub: 'x' })}.${signature}`, invalid)
  const mac = await guarded(t)
  await powerless(mac, await sign(payload, { key: Buffer.from(`${macKey}.`) }), invalid)
})

test('keys inside a token are not used', async (t) => {
  const other = ecPair('P-256')
  const jwk = other.publicKey.export({ format: 'jwk' })
  const auth = await guarded(t, { type: 'ES256', key: ecPair('P-256').pem })
  for (const header of [{ jwk }, { jku: 'http://127.0.0.1:9/keys' }, { x5u: 'http://127.0.0.1:9/' }]) {
    const token = await sign(payload, { alg: 'ES256', key: other.privateKey, header })
    await powerless(auth, token, 'JWSError JWSInvalidSignature')
  }
})

test('a token with unsupported critical extensions is refused', async (t) => {
  const auth = await guarded(t)
  const text = `${encode({ alg: 'HS256', crit: ['exp'], exp: 1 })}.${encode(payload)}`
  const mac = createHmac('sha256', macKey).update(text).digest('base64url')
  await refused(bearer(auth, `${text}.${mac}`), 400, 'invalid-jwt', /^Could not verify JWT: JWSError \(/)
  const bare = `${encode({ alg: 'HS256', crit: ['b64'], b64: false })}.${encode(payload)}`
  const signature = createHmac('sha256', macKey).update(bare).digest('base64url')
  const reason = 'JWSError (JSONDecodeError "the header of the token cannot be read")'
  await powerless(auth, `${bare}.${signature}`, reason)
})

test('texts that are not signed tokens are refused', async (t) => {
  const auth = await guarded(t)
  const parts = (n: number) => `JWSError (CompactDecodeError Invalid number of parts: Expected 3 parts; got ${n})`
  await powerless(auth, 'x', parts(1))
  await powerless(auth, 'a.b', parts(2))
  await powerless(auth, 'a.b.c.d.e', parts(5))
  const header = 'JWSError (JSONDecodeError "the header of the token cannot be read")'
  for (const bad of ['..', 'a.b.c', `${encode('[]')}.b.c`, `${encode('null')}.b.c`, `${encode({ alg: 1 })}.b.c`]) {
    await powerless(auth, bad, header)
  }
  await refused(bearer(auth, `${encode({ alg: 'HS256' })}.%.!`), 400, 'invalid-jwt', /^Could not verify JWT: JWSError/)
})

test('a huge token is refused at once', async (t) => {
  const auth = await guarded(t)
  const token = await tokenFor({ 'x-service-filler': 'x'.repeat(80_000) })
  await powerless(auth, token, 'JWSError (the token is longer than 65536 characters)')
  const deep = `{"${namespace}":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
  const message = 'expecting a json object when claims_format is json'
  await refused(bearer(auth, await signText(deep)), 400, 'jwt-invalid-claims', message)
})

test('an expired, premature or foreign token gives no role', async (t) => {
  const auth = await guarded(t, { audience: 'shop', issuer: 'me' })
  const good = { ...payload, aud: 'shop', iss: 'me' }
  assert.equal((await bearer(auth, await sign(good))).role, 'admin')
  await powerless(auth, await sign({ ...good, exp: inSeconds(-1) }), 'JWTExpired')
  await powerless(auth, await sign({ ...good, nbf: inSeconds(30) }), 'JWTNotYetValid')
  await powerless(auth, await sign({ ...good, aud: 'desk' }), 'JWTNotInAudience')
  await powerless(auth, await sign({ ...good, iss: 'you' }), 'JWTNotInIssuer')
})

test('a cached token is refused after it expires, and after its key is removed', async (t) => {
  const configuration = { audience: null, issuer: null, allowedSkew: 0 }
  const keyOf = (secret: string) => [{ key: createSecretKey(Buffer.from(secret)), algorithms: ['HS256'], id: null }]
  let keys = keyOf(macKey)
  const verifier = new TokenVerifier({ keys: () => keys, configuration, strict: true })
  const token = await tokenFor()
  const brief = await sign({ exp: Date.now() / 1000 + 10 })
  for (let i = 0; i < 2; i++) await Promise.all([verifier.verify(token), verifier.verify(brief)])
  const { now } = Date
  t.mock.method(Date, 'now', () => now() + 11_000)
  await unverified(verifier.verify(brief), 'JWTExpired')
  await verifier.verify(token)
  keys = keyOf(`${macKey}, replaced`)
  await unverified(verifier.verify(token), 'JWSError JWSInvalidSignature')
})

test('headers next to a token give no session variable, and no role that is not allowed', async (t) => {
  const auth = await guarded(t)
  const token = await tokenFor({ 'x-service-user-id': '7' })
  const headers = {
    'x-service-user-id': '1',
    'x-service-org': '9',
    'x-service-allowed-roles': '["admin"]',
    'x-service-default-role': 'admin',
    'x-service-use-backend-only-permissions': 'true',
    'x-hasura-role': 'admin',
  }
  const { expiresAt: _, ...session } = await bearer(auth, token, headers)
  const variables = { 'x-service-role': 'reader', 'x-service-user-id': '7' }
  assert.deepEqual(session, { role: 'reader', variables, backendOnly: false })
  const message = 'Your requested role is not in allowed roles'
  for (const role of ['admin', 'anonymous', 'reader ']) {
    await refused(bearer(auth, token, { 'x-service-role': role }), 400, 'access-denied', message)
  }
})

test('claims that name the role or a secret have no effect', async (t) => {
  const auth = await guarded(t)
  const claims = {
    'x-service-role': 'admin',
    'X-Service-Admin-Secret': 'x',
    'x-service-access-key': 'y',
    __proto__: roles,
  }
  const { variables, role } = await bearer(auth, await tokenFor(claims))
  assert.deepEqual([role, variables], ['reader', { 'x-service-role': 'reader' }])
  const text = JSON.stringify({ [namespace]: 0 }).replace('0', `{"__proto__":${JSON.stringify(roles)}}`)
  const missing = 'JWT claim does not contain x-service-allowed-roles'
  await refused(bearer(auth, await signText(text)), 400, 'jwt-missing-role-claims', missing)
})
