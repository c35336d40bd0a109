import assert from 'node:assert/strict'
import type { KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Observer, silentObserver } from '../../core/log/observe.ts'
import { dialects } from '../../core/names/dialect.ts'
import { OutgoingClient } from '../../core/outgoing/client.ts'
import { KeySet } from '../../plugins/auth-jwt/key-set.ts'
import { blocksOf } from '../guide/blocks.ts'
import { recordingObserver } from '../http/server.ts'
import { type OtherAnswer, startOther } from './other-server.ts'
import {
  bearer,
  ecPair,
  edPair,
  inSeconds,
  jwtAuth,
  macKey,
  namespace,
  refused,
  rsaPair,
  sign,
  tokenFor,
  unverified,
} from './tokens.ts'

const rsa = rsaPair()
const otherRsa = rsaPair()
const ec = ecPair('P-256')
const ed = edPair()

const jwkOf = ({ publicKey }: { publicKey: KeyObject }, more: Record<string, unknown> = {}) => ({
  ...publicKey.export({ format: 'jwk' }),
  ...more,
})

const byRsa = (kid?: string) =>
  tokenFor({}, { alg: 'RS256', key: rsa.privateKey, ...(kid !== undefined && { header: { kid } }) })

async function published(t: test.TestContext, keys: readonly unknown[], headers = {}) {
  const server = await startOther(t, () => ({ body: { keys }, headers }))
  return server.url
}

test('every key of the set verifies tokens, with the algorithms of its type', async (t) => {
  const mac = { kty: 'oct', k: Buffer.from(macKey).toString('base64url') }
  const url = await published(t, [jwkOf(otherRsa), jwkOf(rsa), jwkOf(ec), jwkOf(ed), mac])
  const auth = await jwtAuth(t, { jwk_url: url })
  const signers: [string, KeyObject | Uint8Array][] = [
    ['RS256', rsa.privateKey],
    ['RS512', otherRsa.privateKey],
    ['ES256', ec.privateKey],
    ['EdDSA', ed.privateKey],
    ['HS256', Buffer.from(macKey)],
  ]
  for (const [alg, key] of signers) {
    assert.equal((await bearer(auth, await tokenFor({}, { alg, key }))).role, 'reader', alg)
  }
  const stranger = await tokenFor({}, { alg: 'RS256', key: rsaPair().privateKey })
  await unverified(bearer(auth, stranger), 'JWSError JWSInvalidSignature')
  const publicKeyAsSecret = await tokenFor({}, { alg: 'HS256', key: Buffer.from(rsa.pem) })
  await unverified(bearer(auth, publicKeyAsSecret), 'JWSError JWSInvalidSignature')
})

test('a key is used only for its published purpose', async (t) => {
  const keys = [
    jwkOf(rsa, { alg: 'RS512' }),
    jwkOf(ec, { use: 'enc' }),
    jwkOf(ed, { key_ops: ['sign'] }),
    jwkOf(rsaPair(1024)),
    { kty: 'oct', k: Buffer.from('short').toString('base64url') },
    { kty: 'unknown' },
    null,
  ]
  const auth = await jwtAuth(t, { jwk_url: await published(t, keys) })
  const none = 'JWSError JWSInvalidSignature'
  await unverified(bearer(auth, await byRsa()), none)
  await unverified(bearer(auth, await tokenFor({}, { alg: 'ES256', key: ec.privateKey })), none)
  await unverified(bearer(auth, await tokenFor({}, { alg: 'EdDSA', key: ed.privateKey })), none)
  const fits = await tokenFor({}, { alg: 'RS512', key: rsa.privateKey })
  assert.equal((await bearer(auth, fits)).role, 'reader')
})

test('a token with a kid is verified with that key', async (t) => {
  const url = await published(t, [jwkOf(rsa, { kid: 'a' }), jwkOf(otherRsa, { kid: 'b' })])
  const auth = await jwtAuth(t, { jwk_url: url })
  assert.equal((await bearer(auth, await byRsa('a'))).role, 'reader')
  assert.equal((await bearer(auth, await byRsa())).role, 'reader')
  await unverified(bearer(auth, await byRsa('b')), 'JWSError JWSInvalidSignature')
  await unverified(bearer(auth, await byRsa('unknown')), 'JWSError NoUsableKeys')
  const nameless = await jwtAuth(t, { jwk_url: await published(t, [jwkOf(rsa)]) })
  assert.equal((await bearer(nameless, await byRsa('unknown'))).role, 'reader')
})

test('the hasura dialect tries all keys and ignores the kid', async (t) => {
  const jwk_url = await published(t, [jwkOf(rsa, { kid: 'a' })])
  const claims = { 'x-hasura-allowed-roles': ['reader'], 'x-hasura-default-role': 'reader' }
  const options = { alg: 'RS256', key: rsa.privateKey, header: { kid: 'unknown' } }
  const auth = await jwtAuth(t, { jwk_url, type: 'RS512' }, { settings: { dialect: 'hasura' } })
  assert.equal((await bearer(auth, await sign({ [namespace]: claims }, options))).role, 'reader')
})

test('a type with the URL restricts the keys', async (t) => {
  const jwk_url = await published(t, [jwkOf(rsa), jwkOf(ec)])
  const auth = await jwtAuth(t, { jwk_url, type: 'RS256' })
  assert.equal((await bearer(auth, await byRsa())).role, 'reader')
  for (const [alg, key] of [['RS512', rsa.privateKey] as const, ['ES256', ec.privateKey] as const]) {
    await unverified(bearer(auth, await tokenFor({}, { alg, key })), 'JWSError JWSInvalidSignature')
  }
})

test('unavailable keys end the start', async (t) => {
  const fatal = async (answer: OtherAnswer, reason: (url: string) => string) => {
    const { url } = await startOther(t, () => answer)
    const message = `--jwt-secret (SERVICE_GRAPHQL_JWT_SECRET): ${reason(`${url}/keys?token=redacted`)}`
    await assert.rejects(jwtAuth(t, { jwk_url: `${url}/keys?token=hidden` }), { message })
  }
  for (const status of [301, 404, 500]) {
    const headers = { location: '/elsewhere' }
    await fatal({ status, headers }, (url) => `Non-2xx response on fetching JWK from: ${url}`)
  }
  for (const body of ['', 'no', '[]', 'null', {}, { keys: {} }, { keys: [] }, { keys: [{ kty: 'unknown' }] }]) {
    await fatal({ body }, (url) => `Error parsing JWK from url: ${url}`)
  }
  const gone = await startOther(t, () => null)
  await gone.stop()
  await assert.rejects(jwtAuth(t, { jwk_url: gone.url }), { message: /Error fetching JWK: connect ECONNREFUSED/ })
})

async function startKeySet(t: test.TestContext, url: string, observe: Observer = silentObserver, retryDelay?: number) {
  const outgoing = new OutgoingClient(dialects.trellis)
  const set = new KeySet({ url, type: null, outgoing, observe, ...(retryDelay !== undefined && { retryDelay }) })
  t.after(() => set.stop())
  t.after(() => outgoing.close())
  await set.start()
  return set
}

async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + 60_000
  while (!condition()) {
    assert.ok(Date.now() < end, 'it did not happen')
    await sleep(20)
  }
}

const idsOf = (set: KeySet) => set.keys.map(({ id }) => id).join()

test('keys are fetched again when the response expires', async (t) => {
  const observe = recordingObserver()
  let round = 0
  const answers: OtherAnswer[] = [
    { headers: { 'cache-control': 'public, max-age=1' }, body: { keys: [jwkOf(rsa, { kid: 'first' })] } },
    { headers: { 'cache-control': 'max-age=3600' }, body: { keys: [jwkOf(rsa, { kid: 'second' })] } },
  ]
  const server = await startOther(t, () => answers[round++] ?? { status: 500 })
  const set = await startKeySet(t, server.url, observe)
  assert.equal(idsOf(set), 'first')
  await until(() => idsOf(set) === 'second')
  const detail = { message: 'refreshed the JWKs', error: null }
  assert.deepEqual(observe.entries, [{ type: 'jwk-refresh-log', level: 'info', detail }])
})

test('Expires counts if there is no Cache-Control', async (t) => {
  // HTTP dates have whole seconds, so wait for at least one.
  const headers = () => ({ expires: new Date(Date.now() + 2000).toUTCString() })
  const server = await startOther(t, () => ({ headers: headers(), body: { keys: [jwkOf(rsa)] } }))
  await startKeySet(t, server.url)
  await until(() => server.received.length >= 2)
})

test('without a lifetime in the first response there is no refresh', async (t) => {
  const silent: Record<string, string>[] = [
    {},
    { 'cache-control': 'public' },
    { 'cache-control': 'private', pragma: 'no-cache' },
  ]
  for (const headers of silent) {
    const server = await startOther(t, () => ({ headers, body: { keys: [jwkOf(rsa)] } }))
    await startKeySet(t, server.url, silentObserver, 10)
    await sleep(100)
    assert.equal(server.received.length, 1)
  }
})

test('keys that must not be cached are fetched each second, and changes are logged', async (t) => {
  const forms: Record<string, string>[] = [
    { 'cache-control': 'no-cache, max-age=3600' },
    { 'cache-control': 'no-store, private' },
    { 'cache-control': 'Must-Revalidate' },
    { 'cache-control': 'max-age=0' },
    { expires: '0' },
    { expires: 'Sunday, 06-Nov-94 08:49:37 GMT' },
    { pragma: 'no-cache' },
  ]
  for (const headers of forms) {
    const observe = recordingObserver()
    let kid = 'first'
    const server = await startOther(t, () => ({ headers, body: { keys: [jwkOf(rsa, { kid })] } }))
    const set = await startKeySet(t, server.url, observe)
    const { keys } = set
    await until(() => server.received.length >= 2)
    await until(() => observe.entries.length >= 1)
    assert.equal(set.keys, keys)
    kid = 'second'
    await until(() => idsOf(set) === 'second')
    assert.deepEqual(
      observe.entries.map(({ level }) => level),
      [...observe.entries.slice(1).map(() => 'debug'), 'info'],
    )
    set.stop()
  }
})

test('max-age counts also with must-revalidate', async (t) => {
  const headers = { 'cache-control': 'must-revalidate, max-age=3600' }
  const server = await startOther(t, () => ({ headers, body: { keys: [jwkOf(rsa)] } }))
  await startKeySet(t, server.url)
  await sleep(1300)
  assert.equal(server.received.length, 1)
})

test('a failed refresh keeps the old keys, is logged, and is retried', async (t) => {
  const observe = recordingObserver()
  const old = { keys: [jwkOf(rsa, { kid: 'old' })] }
  const answers: OtherAnswer[] = [
    { headers: { 'cache-control': 'max-age=0' }, body: old },
    { status: 503 },
    { body: 'garbage' },
    { body: { keys: [] } },
    // A response without a lifetime is refreshed after the retry delay, too.
    { body: { keys: [jwkOf(rsa, { kid: 'new' })] } },
    { headers: { 'cache-control': 'max-age=3600' }, body: { keys: [jwkOf(rsa, { kid: 'newest' })] } },
  ]
  let round = 0
  const seen: string[] = []
  let set: KeySet | undefined
  const server = await startOther(t, () => {
    if (set) seen.push(idsOf(set))
    return answers[round++] ?? { status: 500 }
  })
  set = await startKeySet(t, server.url, observe, 1)
  const refreshed = set
  await until(() => idsOf(refreshed) === 'newest')
  assert.deepEqual(seen, ['old', 'old', 'old', 'old', 'new'])
  const parsing = `Error parsing JWK from url: ${server.url}/`
  const failure = (error: string) => {
    const detail = { message: 'could not refresh the JWKs, the old ones stay', error }
    return { type: 'jwk-refresh-log', level: 'critical', detail }
  }
  assert.deepEqual(observe.entries.slice(0, 3), [
    failure(`Non-2xx response on fetching JWK from: ${server.url}/`),
    failure(parsing),
    failure(parsing),
  ])
})

test('a stopped set is not fetched any more', async (t) => {
  const headers = { 'cache-control': 'max-age=1' }
  const server = await startOther(t, () => ({ headers, body: { keys: [jwkOf(rsa)] } }))
  const set = await startKeySet(t, server.url)
  set.stop()
  await sleep(1300)
  assert.equal(server.received.length, 1)
})

test('a server with conditional requests need not send unchanged keys again', async (t) => {
  const observe = recordingObserver()
  let kid = 'first'
  const server = await startOther(t, ({ headers }) => {
    const common = { etag: `"${kid}"`, 'last-modified': 'Sun, 06 Nov 1994 08:49:37 GMT', 'cache-control': 'max-age=1' }
    if (headers['if-none-match'] === `"${kid}"`) return { status: 304, headers: common, body: '' }
    return { headers: common, body: { keys: [jwkOf(rsa, { kid })] } }
  })
  const set = await startKeySet(t, server.url, observe)
  const { keys } = set
  await until(() => server.received.length >= 3)
  assert.equal(set.keys, keys)
  assert.equal(server.received[0]?.headers['if-none-match'], undefined)
  assert.equal(server.received[1]?.headers['if-none-match'], '"first"')
  assert.equal(server.received[1]?.headers['if-modified-since'], 'Sun, 06 Nov 1994 08:49:37 GMT')
  kid = 'second'
  await until(() => idsOf(set) === 'second')
  assert.ok(observe.entries.every(({ level }, i) => level === (i === observe.entries.length - 1 ? 'info' : 'debug')))
})

test('a server that refuses a refresh can delay the next one with Retry-After', async (t) => {
  let round = 0
  const server = await startOther(t, (): OtherAnswer => {
    if (round++ === 1) return { status: 429, headers: { 'retry-after': '2' } }
    return { headers: { 'cache-control': 'max-age=0' }, body: { keys: [jwkOf(rsa)] } }
  })
  await startKeySet(t, server.url, recordingObserver(), 1)
  await until(() => server.received.length === 2)
  const refused = performance.now()
  await until(() => server.received.length === 3)
  assert.ok(performance.now() - refused > 1500)
})

test('the tokens of identity providers give the sessions of their page', async (t) => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/auth-providers.md'), 'utf8')
  const url = await published(t, [jwkOf(rsa, { kid: 'current', alg: 'RS256', use: 'sig' }), jwkOf(ec, { kid: 'next' })])
  const values = blocksOf(page).flatMap(({ language, lines }) =>
    language === 'json' ? [JSON.parse(lines.join('\n'))] : [],
  )
  assert.equal(values.length, 15)
  for (let i = 0; i < values.length; i += 3) {
    const [configuration, payload, session] = values.slice(i, i + 3)
    const auth = await jwtAuth(t, { ...configuration, jwk_url: url })
    const issue = (changed: object) =>
      sign(
        { iat: inSeconds(0), ...payload, ...changed },
        { alg: 'RS256', key: rsa.privateKey, header: { kid: 'current' } },
      )
    const { role, variables } = await bearer(auth, await issue({}))
    assert.deepEqual({ role, variables }, session, configuration.issuer)
    await unverified(bearer(auth, await issue({ aud: 'another' })), 'JWTNotInAudience')
    await unverified(bearer(auth, await issue({ iss: 'https://another.example' })), 'JWTNotInIssuer')
    await unverified(bearer(auth, await issue({ exp: inSeconds(-60) })), 'JWTExpired')
    await refused(
      bearer(auth, await issue({}), { 'x-service-role': 'admin' }),
      400,
      'access-denied',
      /not in allowed roles/,
    )
  }
})
