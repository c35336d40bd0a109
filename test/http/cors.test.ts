import assert from 'node:assert/strict'
import { test } from 'node:test'
import { originCheck } from '../../core/http/cors.ts'
import type { Route } from '../../core/plugin.ts'
import { serveRoutes } from './server.ts'

const hello: Route = { method: 'GET', url: '/hello', auth: 'session', handle: () => ({ hello: true }) }

test('a wildcard stands for exactly one label', () => {
  const allows = originCheck(['https://*.foo.com', 'http://*.bar.com:8080', 'https://exact.org'], false)!
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

test('an allowed origin is echoed, on errors too', async (t) => {
  const { url } = await serveRoutes(t, [hello], { settings: { corsDomain: ['https://app.example'] } })
  for (const path of ['/hello', '/nowhere']) {
    const { headers } = await fetch(url + path, { headers: { origin: 'https://app.example' } })
    assert.equal(headers.get('access-control-allow-origin'), 'https://app.example')
    assert.equal(headers.get('access-control-allow-credentials'), 'true')
    assert.equal(headers.get('access-control-allow-methods'), 'GET,POST,PUT,PATCH,DELETE,OPTIONS')
    assert.equal(headers.get('vary'), 'Origin')
  }
})

test('an origin that is not allowed is served without CORS headers', async (t) => {
  const { url } = await serveRoutes(t, [hello], { settings: { corsDomain: ['https://app.example'] } })
  const response = await fetch(`${url}/hello`, { headers: { origin: 'https://other.example' } })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('access-control-allow-origin'), null)
})

test('a preflight of an allowed origin is answered on any path', async (t) => {
  const { url } = await serveRoutes(t, [hello])
  const response = await fetch(`${url}/anything`, {
    method: 'OPTIONS',
    headers: { origin: 'https://a.example', 'access-control-request-headers': 'content-type,x-service-role' },
  })
  assert.equal(response.status, 204)
  assert.equal(response.headers.get('access-control-allow-origin'), 'https://a.example')
  assert.equal(response.headers.get('access-control-max-age'), '1728000')
  assert.equal(response.headers.get('access-control-allow-headers'), 'content-type,x-service-role')
  assert.equal(response.headers.get('content-type'), 'text/plain charset=UTF-8')
})

test('with CORS disabled nothing is answered across origins', async (t) => {
  const { url } = await serveRoutes(t, [hello], { settings: { disableCors: true } })
  const headers = { origin: 'https://a.example' }
  const served = await fetch(`${url}/hello`, { headers })
  assert.equal(served.headers.get('access-control-allow-origin'), null)
  assert.equal((await fetch(`${url}/hello`, { method: 'OPTIONS', headers })).status, 404)
})
