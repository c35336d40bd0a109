// Hooks that plugins of Fastify give routes as they are added, as those for rates, compression and measuring do.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { badRequest, definePlugin } from '../../sdk/index.ts'
import { startTrellis } from '../support/trellis.ts'

const refuse = async () => {
  throw Object.assign(new Error('too many'), { statusCode: 429 })
}
const hooks = ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const

test('hooks that are given to routes as they are added stand before the work', async (t) => {
  const ran: string[] = []
  const given = definePlugin({
    name: 'given',
    register({ app, routes }) {
      app.addHook('onRoute', (route: RouteOptions) => {
        const hook = hooks.find((name) => route.url === `/given-${name.toLowerCase()}`)
        if (hook) Object.assign(route, { [hook]: [route[hook] ?? [], refuse].flat() })
        if (route.url !== '/given-handler') return
        const { handler } = route
        route.handler = function (request: FastifyRequest, reply: FastifyReply) {
          reply.header('x-wrapped', 'yes')
          return handler.call(this, request, reply)
        }
      })
      for (const name of [...hooks, 'handler']) {
        const handle = () => void ran.push(name)
        routes.add({ method: 'POST', url: `/given-${name.toLowerCase()}`, api: null, auth: 'none', handle })
      }
    },
  })
  const trellis = await startTrellis(t, { plugins: [given] })
  for (const name of hooks) {
    const { status, body } = await trellis.request(`/given-${name.toLowerCase()}`, { body: '1' })
    assert.deepEqual([name, status, body], [name, 429, { path: '$', error: 'too many', code: 'bad-request' }])
  }
  const wrapped = await trellis.request('/given-handler', { body: '1' })
  assert.deepEqual([wrapped.status, wrapped.headers.get('x-wrapped'), ran], [200, 'yes', ['handler']])
})

test('what throws around a request before it gives a promise refuses it', async (t) => {
  const strict = definePlugin({
    name: 'strict',
    register(engine) {
      engine.around({
        request({ request }, run) {
          if (request.headers['x-bad'] !== undefined) throw badRequest('bad-request', 'not so')
          return run()
        },
      })
    },
  })
  const trellis = await startTrellis(t, { plugins: [strict] })
  const { status, body } = await trellis.request('/v1/query', { body: '{}', headers: { 'x-bad': '1' } })
  assert.deepEqual([status, body], [400, { path: '$', error: 'not so', code: 'bad-request' }])
})
