import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notFound } from '../../core/errors/errors.ts'
import type { Route } from '../../core/http/route/declared-route.ts'
import type { HttpLog } from '../../core/log/observe.ts'
import { definePlugin } from '../../sdk/index.ts'
import { startTrellis } from '../support/trellis.ts'
import { openConnection, recordingObserver, serveRoutes } from './server.ts'

const ofTheMessage = ['date', 'x-request-id', 'connection', 'keep-alive', 'transfer-encoding']

/** Headers that are equal in both responses: those of the content. */
const comparable = (headers: Headers) => [...headers].filter(([name]) => !ofTheMessage.includes(name))

test('HEAD is served for every GET, with the same status and headers and without a body', async (t) => {
  const routes: Route[] = []
  const plugin = definePlugin({
    name: 'pages',
    register(engine) {
      engine.routes.add({ method: 'GET', url: '/pages/:page', auth: 'session', handle: () => 'x'.repeat(5000) })
      engine.app.get('/raw', (_request, reply) => reply.type('text/csv').send('a,b'))
      engine.onReady(() => {
        routes.push(...engine.routes.all().filter(({ method }) => method === 'GET'))
      })
    },
  })
  const enabledApis = ['metadata', 'graphql', 'config', 'developer', 'metrics']
  const { url } = await startTrellis(t, { plugins: [plugin], settings: { enabledApis, adminSecret: 'sesame' } })
  const paths = [...routes.map((route) => route.url), '/raw', '/nowhere', '/v1/query']
  for (const path of ['/healthz', '/v1/version', '/v1alpha1/config', '/api/openapi.json'])
    assert.ok(paths.includes(path))
  for (const secret of ['sesame', 'wrong']) {
    for (const path of paths) {
      const headers = { 'x-service-admin-secret': secret, 'accept-encoding': 'identity' }
      const get = await fetch(url + path, { headers })
      const head = await fetch(url + path, { method: 'HEAD', headers })
      assert.equal(head.status, get.status, path)
      assert.equal(await head.text(), '')
      // Changing content may have another length.
      if (!/dev|metrics/.test(path)) assert.deepEqual(comparable(head.headers), comparable(get.headers), path)
    }
  }
})

test('a response to HEAD ends with its headers, and the connection stays open', async (t) => {
  const body = JSON.stringify('x'.repeat(5000))
  const { port } = await serveRoutes(t, [{ method: 'GET', url: '/large', auth: 'none', handle: () => body }])
  const socket = await openConnection(t, port)
  const head = 'HEAD /large HTTP/1.1\r\nHost: localhost\r\n'
  socket.write(`${head}\r\n${head}Accept-Encoding: gzip\r\nConnection: close\r\n\r\n`)
  const text = String(await socket.toArray().then(Buffer.concat))
  const [plain = '', compressed = '', ...rest] = text.split('\r\n\r\n')
  assert.match(plain, /^HTTP\/1\.1 200 OK\r\n[\s\S]*content-length: 5002\r\n/)
  assert.match(compressed, /^HTTP\/1\.1 200 OK\r\n[\s\S]*content-encoding: gzip\r\ncontent-length: \d\d\r\n/)
  assert.deepEqual(rest, [''])
})

test('HEAD is logged as HEAD with zero bytes sent, also when it fails', async (t) => {
  const observe = recordingObserver()
  const routes: Route[] = [
    { method: 'GET', url: '/here', auth: 'none', handle: () => 'here' },
    {
      ...{ method: 'GET', url: '/there', auth: 'none' },
      handle() {
        throw notFound()
      },
    },
  ]
  const { url } = await serveRoutes(t, routes, { observe })
  for (const path of ['/here', '/there', '/nowhere']) await fetch(url + path, { method: 'HEAD' })
  const seen = observe.entries.map(({ detail }) => {
    const { http_info, operation } = detail as HttpLog
    return [http_info.method, http_info.url, http_info.status, operation.response_size]
  })
  assert.deepEqual(seen, [
    ['HEAD', '/here', 200, 0],
    ['HEAD', '/there', 404, 0],
    ['HEAD', '/nowhere', 404, 0],
  ])
})
