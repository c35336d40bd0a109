// Sessions from a cookie, which browsers also send for foreign pages.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { startOther } from './other-server.ts'
import { macKey, namespace, sign } from './tokens.ts'

const refused = {
  path: '$',
  error: 'cookies count only in requests of the same origin, and of origins that --cors-domain lists by name',
  code: 'access-denied',
}

const dialects = ['trellis', 'hasura'] as const
const adminSecret = 'sesame'

/** Fetches as a page does, with the headers that a page cannot omit. */
async function ask({ url }: TestTrellis, headers: Readonly<Record<string, string>>, path = '/v1/graphql') {
  const init = { method: 'POST', body: '{"query": "{ __typename }"}' }
  const response = await fetch(url + path, { ...init, headers: { 'content-type': 'application/json', ...headers } })
  return [response.status, await response.json()]
}

const served = [200, { data: { __typename: 'query_root' } }]

async function startWithTokens(t: TestContext, settings = {}) {
  const jwtSecret = JSON.stringify({ type: 'HS256', key: macKey, header: { type: 'Cookie', name: 'session' } })
  const trellis = await startTrellis(t, { settings: { adminSecret, jwtSecret, ...settings } })
  const word = trellis.engine.settings.dialect === 'hasura' ? 'hasura' : 'service'
  const token = await sign({
    [namespace]: { [`x-${word}-allowed-roles`]: ['reader'], [`x-${word}-default-role`]: 'reader' },
  })
  return { trellis, cookie: `theme=dark; session=${token}`, secretHeader: `x-${word}-admin-secret` }
}

test('a token in a cookie counts if the page is of the same origin, or of a listed one', async (t) => {
  for (const dialect of dialects) {
    const corsDomain = ['*', 'https://app.example']
    const { trellis, cookie } = await startWithTokens(t, { dialect, corsDomain })
    const own = new URL(trellis.url).host
    assert.deepEqual((await ask(trellis, { cookie }))[0], 200)
    for (const page of [
      { origin: `http://${own}` },
      // A proxy may end TLS and send another host.
      { origin: `https://${own}` },
      { origin: 'https://shop.example', 'sec-fetch-site': 'same-origin' },
      { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'none' },
    ] as readonly Record<string, string>[]) {
      const [status, body] = await ask(trellis, { cookie, ...page })
      assert.equal(status, 200, JSON.stringify(page))
      assert.doesNotMatch(JSON.stringify(body), /access-denied/)
    }
    for (const page of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://127.0.0.1:1' },
      { origin: `http://${own}.evil.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: `http://${own}`, 'x-forwarded-host': 'evil.example', host: 'evil.example' },
    ] as readonly Record<string, string>[]) {
      for (const path of ['/v1/graphql', '/v1/query']) {
        if (page['host'] === undefined) assert.deepEqual(await ask(trellis, { cookie, ...page }, path), [403, refused])
      }
    }
  }
})

test('a cookie that gives no session is ignored', async (t) => {
  const { trellis, cookie, secretHeader } = await startWithTokens(t, { unauthorizedRole: 'anonymous' })
  const origin = 'https://elsewhere.example'
  assert.equal((await ask(trellis, { origin, cookie: 'theme=dark' }))[0], 200)
  assert.deepEqual(await ask(trellis, { origin, cookie, [secretHeader]: adminSecret }), served)
  const bearing = JSON.stringify({ type: 'HS256', key: macKey })
  const byHeader = await startTrellis(t, {
    settings: { adminSecret, jwtSecret: bearing, unauthorizedRole: 'anonymous' },
  })
  assert.equal((await ask(byHeader, { origin, cookie }))[0], 200)
})

test('the webhook is not called for cookies of foreign pages', async (t) => {
  for (const dialect of dialects) {
    const role = dialect === 'hasura' ? 'x-hasura-role' : 'x-service-role'
    const hook = await startOther(t, () => ({ body: { [role]: 'admin' } }))
    const corsDomain = ['*', 'https://app.example']
    const trellis = await startTrellis(t, { settings: { dialect, adminSecret, authHook: hook.url, corsDomain } })
    const cookie = 'session=ada'
    assert.deepEqual(await ask(trellis, { cookie, origin: 'https://evil.example' }), [403, refused])
    assert.equal(hook.received.length, 0)
    assert.deepEqual(await ask(trellis, { cookie }), served)
    assert.deepEqual(await ask(trellis, { cookie, origin: 'https://app.example' }), served)
    assert.deepEqual(await ask(trellis, { authorization: 'x', origin: 'https://any.example' }), served)
    assert.equal(hook.received.length, 3)
  }
})
