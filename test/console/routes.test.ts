import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { silentObserver } from '../../core/log/observe.ts'
import { loadFiles } from '../../plugins/console/assets.ts'
import { trellis } from '../../sdk/engine.ts'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase } from '../support/database.ts'
import { startTrellis } from '../support/trellis.ts'

const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const asBrowser = { headers: { accept } }
const nothing = { path: '$', error: 'resource does not exist', code: 'not-found' }

test('an open server leads browsers to the console, at every address of it', async (t) => {
  await loadFiles()
  const { request, url } = await startTrellis(t)
  const root = await fetch(`${url}/`, { headers: { accept }, redirect: 'manual' })
  assert.deepEqual([root.status, root.headers.get('location'), root.headers.get('vary')], [302, 'console/', 'Accept'])
  const prefixes = { '/console': './console/', '/console/': './', '/console/data/a%2Fb/c?x=/': '../../' }
  for (const [path, prefix] of Object.entries(prefixes)) {
    const { status, headers, text } = await request(path, asBrowser)
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8'])
    const [, script = ''] = /src="([^"]+)"/.exec(text) ?? []
    assert.equal(script.slice(0, script.indexOf('assets/')), prefix)
    assert.equal((await fetch(new URL(script, url + path))).status, 200)
    for (const headers of [undefined, { accept: 'application/json' }]) {
      const other = await request(path, { ...(headers && { headers }) })
      assert.deepEqual([other.status, other.body], [404, nothing])
    }
  }
})

test('the page allows its own files alone, which are compressed, and kept for good by browsers', async (t) => {
  const files = await loadFiles()
  const { request } = await startTrellis(t, { settings: { dialect: 'hasura', consoleReadOnly: true } })
  const { headers, text } = await request('/console/', asBrowser)
  const policy = headers.get('content-security-policy') ?? ''
  const [, nonce = ''] = /'nonce-([^']{24})'/.exec(policy) ?? []
  assert.equal(
    policy,
    `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; connect-src 'self'; img-src 'self' data:; font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types trellis-worker`,
  )
  const guards = ['cache-control', 'referrer-policy', 'x-content-type-options', 'cross-origin-opener-policy']
  assert.deepEqual(
    guards.map((name) => headers.get(name)),
    ['no-store', 'no-referrer', 'nosniff', 'same-origin'],
  )
  assert.ok(text.includes(`nonce="${nonce}"`))
  assert.equal((await request('/console/', asBrowser)).text.includes(nonce), false)
  assert.match(text, /&quot;roleHeader&quot;:&quot;x-hasura-role&quot;/)
  assert.match(text, /&quot;isReadOnly&quot;:true/)
  assert.doesNotMatch(text, /https?:/)
  const [, script = ''] = /src="\.\/([^"]+)"/.exec(text) ?? []
  const packed = await request(`/console/${script}`, { headers: { 'accept-encoding': 'gzip' } })
  assert.deepEqual(
    ['content-encoding', 'cache-control', 'x-content-type-options', 'vary'].map((name) => packed.headers.get(name)),
    ['gzip', 'public, max-age=31536000, immutable', 'nosniff', 'Accept-Encoding'],
  )
  const etag = packed.headers.get('etag') ?? ''
  assert.equal((await request(`/console/${script}`, { headers: { 'if-none-match': `W/${etag}` } })).status, 304)
  assert.match((await request('/console/assets/licences.txt')).text, /^react 19\.\d+\.\d+, MIT$/m)
  for (const file of ['main.js', 'index.html', '..%2findex.ts', '__proto__.js']) {
    const { status, body } = await request(`/console/assets/${file}`)
    assert.deepEqual([file, status, body], [file, 404, nothing])
  }
  // The first load: 400 kB of scripts and styles, 55 kB of fonts.
  const first = [...text.matchAll(/(?:src|href)="\.\/assets\/([^"]+)"/g)].map(
    ([, file = '']) => [file, files.get(file)?.length ?? NaN] as const,
  )
  assert.ok(first.reduce((sum, [, bytes]) => sum + bytes, 0) <= 400_000)
  // A page that is loaded later: 250 kB with the files that it imports.
  const loaded = new Set(first.map(([name]) => name))
  const imported = (name: string, found = new Set<string>()): Set<string> => {
    if (loaded.has(name) || found.has(name) || !name.endsWith('.js')) return found
    found.add(name)
    for (const [, other = ''] of code(name).matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g)) imported(other, found)
    return found
  }
  const code = (name: string) => gunzipSync(files.get(name)!).toString()
  const sizeOf = (names: Iterable<string>) => [...names].reduce((sum, name) => sum + files.get(name)!.length, 0)
  const large = [...files.keys()].filter((name) => sizeOf(imported(name)) > 250_000)
  assert.deepEqual(large, [])
  const fonts = [...files].filter(([name]) => name.endsWith('.woff2')).map(([, { length }]) => length)
  assert.ok(fonts.reduce((sum, bytes) => sum + bytes, 0) <= 55_000)
})

test('with a secret the console is served only with --enable-console, and never with false', async (t) => {
  await loadFiles()
  const database = await testDatabase(t)
  const statuses = async (settings: Readonly<Record<string, unknown>>) => {
    const { request } = await startTrellis(t, { settings, database })
    const answers = ['/', '/graphiql', '/console', '/console/data'].map((path) => request(path, asBrowser))
    return (await Promise.all(answers)).map(({ status }) => status)
  }
  const adminSecret = 'sesame'
  assert.deepEqual(await statuses({}), [200, 200, 200, 200])
  assert.deepEqual(await statuses({ adminSecret }), [404, 404, 404, 404])
  assert.deepEqual(await statuses({ adminSecret, enableConsole: true }), [200, 404, 200, 200])
  assert.deepEqual(await statuses({ enableConsole: false }), [200, 200, 404, 404])
  assert.deepEqual(await statuses({ enabledApis: ['metadata'] }), [200, 404, 200, 200])
  // The root is GraphiQL's where the console's API is closed.
  assert.deepEqual(await statuses({ enabledApis: ['graphql'] }), [200, 200, 404, 404])
})

test('below a prefix, its addresses have the prefix', async (t) => {
  await loadFiles()
  const { url: databaseUrl } = await testDatabase(t)
  const app = Fastify()
  await app.register(trellis, { prefix: '/api/console', settings: { databaseUrl }, observe: silentObserver })
  atEnd(t, () => app.close())
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  for (const path of ['/api/console/', '/api/console/console', '/api/console/console/data/console/x']) {
    const page = await fetch(origin + path, { headers: { accept } })
    const [, file = ''] = /src="([^"]+)"/.exec(await page.text()) ?? []
    const script = await fetch(new URL(file, page.url))
    assert.deepEqual([script.status, script.headers.get('content-type')], [200, 'text/javascript; charset=utf-8'])
  }
})
