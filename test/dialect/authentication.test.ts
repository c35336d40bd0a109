// Tokens, webhooks and requests to other servers, in the names of both dialects.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Auth } from '../../core/auth/auth.ts'
import type { RequestHeaders } from '../../core/auth/headers.ts'
import { defaultSettings } from '../../core/engine/options.ts'
import { toTrellisError } from '../../core/errors/errors.ts'
import { silentObserver } from '../../core/log/observe.ts'
import { dialects } from '../../core/names/dialect.ts'
import { version } from '../../core/names/version.ts'
import { OutgoingClient } from '../../core/outgoing/client.ts'
import { webhookAuthenticator } from '../../plugins/auth-webhook/authenticator.ts'
import { cleanDump } from '../../plugins/pg-dump/clean.ts'
import { type OtherAnswer, startOther } from '../auth/other-server.ts'
import { jwtAuth, macKey, namespace, rsaPair, sign } from '../auth/tokens.ts'
import { dialectOf, type Word, words } from './world.ts'

/** The session, or the refusal, of a request. */
const outcome = (auth: Auth, headers: RequestHeaders) =>
  Promise.resolve()
    .then(() => auth.authenticate(headers))
    .then(
      ({ role, variables }) => ({ role, variables }),
      (error: unknown) => {
        const { code, message } = toTrellisError(error)
        return `${code}: ${message}`
      },
    )

const roles = (word: Word) => ({ [`x-${word}-allowed-roles`]: ['reader'], [`x-${word}-default-role`]: 'reader' })

interface TokenCase {
  readonly what: string
  readonly secret?: Readonly<Record<string, unknown>>
  claims(word: Word): Readonly<Record<string, unknown>>
  headers?(word: Word): RequestHeaders
  expected(word: Word): unknown
}

const inNamespace = (claims: Readonly<Record<string, unknown>>) => ({ [namespace]: claims })

const tokenCases: readonly TokenCase[] = [
  {
    what: 'the claims of a token',
    claims: (word) => inNamespace({ ...roles(word), [`X-${word}-User-Id`]: '7', 'x-other-a': 'b' }),
    expected: (word) => ({ role: 'reader', variables: { [`x-${word}-role`]: 'reader', [`x-${word}-user-id`]: '7' } }),
  },
  {
    what: "the other dialect's claims, which are none",
    claims: (word) => inNamespace(roles(word === 'service' ? 'hasura' : 'service')),
    expected: (word) => `jwt-missing-role-claims: JWT claim does not contain x-${word}-allowed-roles`,
  },
  {
    what: 'no default role',
    claims: (word) => inNamespace({ [`x-${word}-allowed-roles`]: ['reader'] }),
    expected: (word) => `jwt-missing-role-claims: JWT claim does not contain x-${word}-default-role`,
  },
  {
    what: 'allowed roles that are no list',
    claims: (word) => inNamespace({ ...roles(word), [`x-${word}-allowed-roles`]: 'reader' }),
    expected: (word) =>
      `jwt-invalid-claims: invalid x-${word}-allowed-roles; should be a list of roles: parsing [] failed, expected Array, but encountered String`,
  },
  {
    what: 'a default role that is no text',
    claims: (word) => inNamespace({ ...roles(word), [`x-${word}-default-role`]: 1 }),
    expected: (word) =>
      `jwt-invalid-claims: invalid x-${word}-default-role; should be a single role name: parsing Text failed, expected String, but encountered Number`,
  },
  {
    what: 'a claim that is no text',
    claims: (word) => inNamespace({ ...roles(word), [`x-${word}-user-id`]: 7 }),
    expected: (word) =>
      `jwt-invalid-claims: x-${word}-* claims: parsing Text failed, expected String, but encountered Number`,
  },
  {
    what: 'the role that is asked for',
    claims: (word) => inNamespace(roles(word)),
    headers: (word) => ({ [`x-${word}-role`]: 'editor' }),
    expected: () => 'access-denied: Your requested role is not in allowed roles',
  },
  {
    what: 'no claims at all',
    claims: () => ({}),
    expected: () => `jwt-invalid-claims: claims key: '${namespace}' not found`,
  },
  {
    what: 'a token without the configured audience',
    secret: { audience: 'shop' },
    claims: (word) => inNamespace(roles(word)),
    expected: (word) =>
      word === 'service'
        ? 'invalid-jwt: Could not verify JWT: JWTNotInAudience'
        : { role: 'reader', variables: { 'x-hasura-role': 'reader' } },
  },
]

async function tokenAuth(t: TestContext, word: Word, secret: Readonly<Record<string, unknown>> = {}): Promise<Auth> {
  return jwtAuth(t, secret, { settings: { dialect: dialectOf(word) } })
}

for (const word of words) {
  test(`tokens in the names of x-${word}-`, async (t) => {
    for (const { what, secret, claims, headers, expected } of tokenCases) {
      const auth = await tokenAuth(t, word, secret)
      const authorization = `Bearer ${await sign(claims(word))}`
      assert.deepEqual(await outcome(auth, { authorization, ...headers?.(word) }), expected(word), what)
    }
  })

  test(`a map of claims in the names of x-${word}-`, async (t) => {
    const map = {
      [`x-${word}-allowed-roles`]: ['a'],
      [`x-${word}-default-role`]: 'a',
      [`x-${word}-id`]: { path: '$.sub' },
    }
    const auth = await tokenAuth(t, word, { claims_map: map })
    const variables = { [`x-${word}-role`]: 'a', [`x-${word}-id`]: '9' }
    const authorization = `Bearer ${await sign({ sub: '9' })}`
    assert.deepEqual(await outcome(auth, { authorization }), { role: 'a', variables })
    const missing = { [`x-${word}-default-role`]: 'a' }
    const prefix = `--jwt-secret (${word.toUpperCase()}_GRAPHQL_JWT_SECRET): `
    await assert.rejects(tokenAuth(t, word, { claims_map: missing }), {
      message: `${prefix}x-${word}-allowed-roles is expected but not found`,
    })
  })

  test(`tokens and their configuration are checked in the dialect of x-${word}-`, async (t) => {
    const misspelt = tokenAuth(t, word, { audiance: 'shop' })
    if (word === 'hasura') assert.equal((await misspelt).mode, 'jwt')
    else await assert.rejects(misspelt, /there is no key "audiance"/)
    const { privateKey, publicKey, pem } = rsaPair()
    const longer = await sign(inNamespace(roles(word)), { alg: 'RS512', key: privateKey })
    const byLonger = await outcome(await tokenAuth(t, word, { type: 'RS256', key: pem }), {
      authorization: `Bearer ${longer}`,
    })
    assert.equal(byLonger, 'invalid-jwt: Could not verify JWT: JWSError JWSInvalidSignature')
    const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }]
    const published = await startOther(t, () => ({ body: { keys } }))
    const auth = await tokenAuth(t, word, { jwk_url: published.url })
    const token = await sign(inNamespace(roles(word)), { alg: 'RS256', key: privateKey, header: { kid: 'two' } })
    const found = await outcome(auth, { authorization: `Bearer ${token}` })
    if (word === 'hasura') assert.equal((found as { role: string }).role, 'reader')
    else assert.equal(found, 'invalid-jwt: Could not verify JWT: JWSError NoUsableKeys')
    const product = word === 'service' ? 'trellis' : 'hasura-graphql-engine'
    assert.equal(published.received[0]?.headers['user-agent'], `${product}/${version}`)
  })

  test(`a webhook in the names of x-${word}-`, async (t) => {
    let answer: OtherAnswer = {}
    const hook = await startOther(t, () => answer)
    const dialect = dialects[dialectOf(word)]
    const outgoing = new OutgoingClient(dialect)
    t.after(() => outgoing.close())
    const auth = new Auth(defaultSettings({ adminSecret: 'sesame' }), dialect)
    auth.use(webhookAuthenticator({ url: hook.url, method: 'GET', outgoing, observe: silentObserver, dialect }))
    answer = { body: { [`X-${word}-Role`]: 'clerk', [`x-${word}-user-id`]: '7', [`x-${word}-admin-secret`]: 's' } }
    const variables = { [`x-${word}-role`]: 'clerk', [`x-${word}-user-id`]: '7' }
    assert.deepEqual(await outcome(auth, { [`x-${word}-role`]: 'admin' }), { role: 'clerk', variables })
    answer = { body: { [`x-${word === 'service' ? 'hasura' : 'service'}-role`]: 'clerk' } }
    const missing = `invalid-params: x-${word}-role not found in session variables`
    assert.equal(await outcome(auth, {}), missing)
    const product = word === 'service' ? 'trellis' : 'hasura-graphql-engine'
    assert.equal(hook.received[0]?.headers['user-agent'], `${product}/${version}`)
  })

  test(`redirects of other servers in the dialect of x-${word}-`, async (t) => {
    const server = createServer(({ url = '' }, response) => {
      const left = Number(url.slice(1))
      if (left === 0) response.end('here')
      else response.writeHead(302, { location: `/${left - 1}` }).end()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    t.after(() => server.close())
    const outgoing = new OutgoingClient(dialects[dialectOf(word)])
    t.after(() => outgoing.close())
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const statusAfter = async (redirects: number) => {
      const request = { url: `${origin}/${redirects}`, method: 'GET', timeout: 5000, maxResponseSize: 1000 } as const
      return outgoing.send(request).then(
        ({ status }) => status,
        () => 'refused',
      )
    }
    assert.equal(await statusAfter(0), 200)
    assert.equal(await statusAfter(1), word === 'service' ? 302 : 200)
    assert.equal(await statusAfter(10), word === 'service' ? 302 : 200)
    assert.notEqual(await statusAfter(11), 200)
  })

  test(`a dump without the engine's own triggers in the dialect of x-${word}-`, () => {
    const trigger = (name: string) => `CREATE TRIGGER "${name}_a_INSERT" AFTER INSERT ON public.b FOR EACH ROW;\n`
    const dump = Buffer.from(trigger('trellis') + trigger('notify_hasura'))
    const kept = trigger(word === 'service' ? 'notify_hasura' : 'trellis')
    assert.equal(cleanDump(dump, dialects[dialectOf(word)], { graphqlInterface: '1.3' }), kept)
  })
}

test('the key of tokens is not shown in either dialect', async (t) => {
  for (const word of words) {
    const auth = await tokenAuth(t, word, { type: 'HS256', key: macKey })
    assert.deepEqual(auth.configuration, { claims_namespace: namespace, claims_format: 'json' })
  }
})
