import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { GivenSettings } from '../../core/engine/options.ts'
import { originCheck } from '../../core/http/front/cors.ts'
import type { Route } from '../../core/http/route/declared-route.ts'
import { recordingObserver, serveRoutes } from './server.ts'

const hello: Route = { method: 'GET', url: '/hello', auth: 'none', handle: () => ({ hello: true }) }
const adminSecret = 'sesame'

const serve = (t: TestContext, settings: GivenSettings) =>
  serveRoutes(t, [hello], { settings: { adminSecret, ...settings } })

/** The CORS headers of a response. */
const corsOf = ({ headers }: Response) => ({
  origin: headers.get('access-control-allow-origin'),
  credentials: headers.get('access-control-allow-credentials'),
  methods: headers.get('access-control-allow-methods'),
})

const methods = 'GET,POST,PUT,PATCH,DELETE,OPTIONS'
const nothing = { origin: null, credentials: null, methods: null }

test('a wildcard matches exactly one label', () => {
  const allows = originCheck(['https://*.foo.com', 'http://*.bar.com:8080', 'https://exact.org'])
  for (const origin of ['https://a.foo.com', 'http://x.bar.com:8080', 'https://exact.org']) {
    assert.equal(allows(origin), true, origin)
  }
  for (const origin of [
    'https://foo.com',
    'https://.foo.com',
    'https://a.b.foo.com',
    'http://a.foo.com',
    'https://a.foo.com:444',
    'https://a.foo.com.evil.org',
    'https://afoo.com',
    'http://x.bar.com',
    'https://Exact.org',
    'null',
  ]) {
    assert.equal(allows(origin), false, origin)
  }
})

test('an origin may have the scheme of an app', async (t) => {
  const { url } = await serve(t, { corsDomain: ['capacitor://localhost', 'app+beta://*.desk.example'] })
  const ask = async (origin: string) => corsOf(await fetch(`${url}/hello`, { headers: { origin } })).origin
  for (const origin of ['capacitor://localhost', 'app+beta://a.desk.example']) assert.equal(await ask(origin), origin)
  for (const origin of ['http://localhost', 'capacitor://other', 'app://a.desk.example']) {
    assert.equal(await ask(origin), null)
  }
})

test('a named origin is echoed with credentials, also on errors', async (t) => {
  for (const dialect of ['trellis', 'hasura'] as const) {
    const { url } = await serve(t, { dialect, corsDomain: ['https://app.example'] })
    for (const path of ['/hello', '/nowhere']) {
      const response = await fetch(url + path, { headers: { origin: 'https://app.example' } })
      assert.deepEqual(corsOf(response), { origin: 'https://app.example', credentials: 'true', methods })
      assert.equal(response.headers.get('vary'), 'Origin')
    }
  }
})

test('* allows all origins without credentials, and listed ones with credentials', async (t) => {
  const { url } = await serve(t, { corsDomain: ['*', 'https://*.app.example'] })
  const ask = async (origin: string) => corsOf(await fetch(`${url}/hello`, { headers: { origin } }))
  assert.deepEqual(await ask('https://a.example'), { origin: '*', credentials: null, methods })
  assert.deepEqual(await ask('null'), { origin: '*', credentials: null, methods })
  assert.deepEqual(await ask('https://my.app.example'), {
    ...{ origin: 'https://my.app.example', credentials: 'true', methods },
  })
})

test('in the hasura dialect all origins are echoed with credentials, as in v1.3', async (t) => {
  const { url } = await serve(t, { dialect: 'hasura' })
  const headers = { origin: 'https://a.example' }
  const echoed = { origin: 'https://a.example', credentials: 'true', methods }
  assert.deepEqual(corsOf(await fetch(`${url}/hello`, { headers })), echoed)
  const preflight = await fetch(`${url}/hello`, { method: 'OPTIONS', headers })
  assert.deepEqual([preflight.status, corsOf(preflight)], [204, echoed])
})

test('an origin that is not allowed is served without CORS headers', async (t) => {
  const { url } = await serve(t, { corsDomain: ['https://app.example'] })
  const response = await fetch(`${url}/hello`, { headers: { origin: 'https://other.example' } })
  assert.deepEqual([response.status, corsOf(response)], [200, nothing])
})

test('a preflight of an allowed origin is answered on any path', async (t) => {
  const { url } = await serve(t, {})
  const response = await fetch(`${url}/anything`, {
    method: 'OPTIONS',
    headers: { origin: 'https://a.example', 'access-control-request-headers': 'content-type,x-service-role' },
  })
  assert.deepEqual([response.status, corsOf(response)], [204, { origin: '*', credentials: null, methods }])
  assert.equal(response.headers.get('access-control-max-age'), '1728000')
  assert.equal(response.headers.get('access-control-allow-headers'), 'content-type,x-service-role')
  assert.equal(response.headers.get('content-type'), 'text/plain charset=UTF-8')
})

test('a preflight of an unlisted origin gets the reason, and so does the log', async (t) => {
  const cases: readonly (readonly [GivenSettings, string])[] = [
    [{ corsDomain: ['https://app.example'] }, '--cors-domain does not list it'],
    [{ disableCors: true }, 'CORS is disabled'],
  ]
  for (const [settings, reason] of cases) {
    const observe = recordingObserver()
    const { url } = await serveRoutes(t, [hello], { settings: { adminSecret, ...settings }, observe })
    const origin = 'https://other.example'
    const headers = { origin, 'access-control-request-method': 'POST' }
    const response = await fetch(`${url}/hello`, { method: 'OPTIONS', headers })
    const error = `pages of the origin "${origin}" may not call: ${reason}`
    const body = { path: '$', error, code: 'access-denied' }
    assert.deepEqual([response.status, corsOf(response), await response.json()], [403, nothing, body])
    assert.ok(JSON.stringify(observe.entries).includes(`may not call: ${reason}`))
    assert.equal((await fetch(`${url}/hello`, { method: 'OPTIONS' })).status, 404)
  }
})

test('with CORS disabled no cross-origin request is answered', async (t) => {
  const { url } = await serve(t, { disableCors: true })
  const headers = { origin: 'https://a.example' }
  assert.deepEqual(corsOf(await fetch(`${url}/hello`, { headers })), nothing)
  assert.equal((await fetch(`${url}/hello`, { method: 'OPTIONS', headers })).status, 404)
})
