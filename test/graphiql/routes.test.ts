import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { silentObserver } from '../../core/log/observe.ts'
import { trellis } from '../../sdk/engine.ts'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase } from '../support/database.ts'
import { startTrellis } from '../support/trellis.ts'

const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const asBrowser = { headers: { accept } }
const nothing = { path: '$', error: 'resource does not exist', code: 'not-found' }

test('an open server serves the page to browsers only', async (t) => {
  const { request } = await startTrellis(t)
  for (const path of ['/graphiql']) {
    const { status, headers, text } = await request(path, asBrowser)
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8'])
    assert.equal(headers.get('vary'), 'Accept')
    assert.doesNotMatch(text, /https?:/)
    const head = await request(path, { ...asBrowser, method: 'HEAD' })
    assert.deepEqual([head.status, head.text, head.headers.get('content-type')], [200, '', 'text/html; charset=utf-8'])
    for (const headers of [undefined, { accept: 'application/json' }]) {
      const other = await request(path, { ...(headers && { headers }) })
      assert.deepEqual([other.status, other.body], [404, nothing])
    }
    const posted = await request(path, { ...asBrowser, body: {} })
    assert.deepEqual([posted.status, posted.body], [404, nothing])
  }
})

test('the policy of the page allows only its own files, which are compressed and cached', async (t) => {
  const { request } = await startTrellis(t, { settings: { dialect: 'hasura' } })
  const { headers, text } = await request('/graphiql', asBrowser)
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /^default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; style-src-elem /)
  const [, nonce] = /'nonce-([^']{24})'/.exec(policy) ?? []
  assert.ok(text.includes(`nonce="${nonce}"`))
  assert.equal((await request('/graphiql', asBrowser)).text.includes(`${nonce}`), false)
  assert.match(text, /&quot;roleHeader&quot;:&quot;x-hasura-role&quot;/)

  const files = [...text.matchAll(/"(graphiql\/assets\/[^"]+)"/g)].map(([, file]) => `/${file}`)
  assert.equal(files.length, 2)
  for (const file of files) {
    const packed = await request(file, { headers: { 'accept-encoding': 'gzip' } })
    assert.deepEqual([packed.status, packed.headers.get('content-encoding')], [200, 'gzip'])
    const plain = await request(file, { headers: { 'accept-encoding': 'identity' } })
    assert.deepEqual([plain.status, plain.headers.get('content-encoding'), plain.text], [200, null, packed.text])
    assert.equal(plain.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(plain.headers.get('vary'), 'Accept-Encoding')
    const etag = plain.headers.get('etag') ?? ''
    const again = await request(file, { headers: { 'if-none-match': `"x", W/${etag}` } })
    assert.deepEqual([again.status, again.text], [304, ''])
  }
  const licences = await request('/graphiql/assets/licences.txt')
  assert.match(licences.text, /^monaco-editor 0\.52\.2, MIT$/m)
  for (const file of ['main.js', 'index.html', '..%2findex.ts', '__proto__.js']) {
    const { status, body } = await request(`/graphiql/assets/${file}`)
    assert.deepEqual([file, status, body], [file, 404, nothing])
  }
})

test('with a secret the page is served only with --enable-graphiql, and never with false', async (t) => {
  const database = await testDatabase(t)
  const statuses = async (settings: Readonly<Record<string, unknown>>) => {
    const { request } = await startTrellis(t, { settings, database })
    const answers = ['/', '/graphiql'].map((path) => request(path, asBrowser))
    return (await Promise.all(answers)).map(({ status }) => status)
  }
  const adminSecret = 'sesame'
  assert.deepEqual(await statuses({ adminSecret }), [404, 404])
  // The root is the console's where it is served.
  assert.deepEqual(await statuses({ adminSecret, enableGraphiql: true }), [200, 200])
  assert.deepEqual(await statuses({ enableConsole: false }), [200, 200])
  assert.deepEqual(await statuses({ enableConsole: false, enableGraphiql: false }), [404, 404])
  assert.deepEqual(await statuses({ enableConsole: false, enabledApis: ['metadata'] }), [404, 404])
})

test('with a secret, a browser at the root reads how to turn it on', async (t) => {
  const { request } = await startTrellis(t, { settings: { adminSecret: 'sesame' } })
  const { status, headers, text } = await request('/', asBrowser)
  assert.deepEqual(
    [status, headers.get('content-type'), headers.get('vary')],
    [404, 'text/html; charset=utf-8', 'Accept'],
  )
  assert.match(text, /start the server with\n<code>--enable-console<\/code>/)
  const other = await request('/')
  assert.deepEqual([other.status, other.body], [404, nothing])
})

test('a page of another site cannot load it', async (t) => {
  const { request } = await startTrellis(t)
  const embedded = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', accept }
  const { status, body } = await request('/', { headers: embedded })
  assert.deepEqual([status, (body as { code: string }).code], [403, 'access-denied'])
})

test('below a prefix, its addresses have the prefix', async (t) => {
  const { url: databaseUrl } = await testDatabase(t)
  const app = Fastify()
  await app.register(trellis, { prefix: '/api', settings: { databaseUrl }, observe: silentObserver })
  atEnd(t, () => app.close())
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  for (const path of ['/api/graphiql']) {
    const page = await fetch(origin + path, { headers: { accept } })
    const [, file = ''] = /src="([^"]+)"/.exec(await page.text()) ?? []
    const script = await fetch(new URL(file, page.url))
    assert.deepEqual([script.status, script.headers.get('content-type')], [200, 'text/javascript; charset=utf-8'])
  }
})
