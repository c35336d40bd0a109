// Hooks that Fastify plugins add to routes, as those for rate limits, compression and metrics do.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import {
  answered,
  badRequest,
  definePlugin,
  fieldMap,
  graphql,
  operation,
  type RouteCall,
  Type,
} from '../../sdk/index.ts'
import { recordingObserver } from '../http/server.ts'
import { startTrellis } from '../support/trellis.ts'

const refuse = async () => {
  throw Object.assign(new Error('too many'), { statusCode: 429 })
}
const hooks = ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const

test('hooks that are added to routes run before the work', async (t) => {
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

test('a synchronous throw in a request hook refuses the request', async (t) => {
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

test('a header that cannot be sent is an error of its request only', async (t) => {
  const observe = recordingObserver()
  const careless = definePlugin({
    name: 'careless',
    dependencies: ['graphql'],
    register(engine) {
      const handle = ({ request: { query }, reply }: RouteCall) => {
        reply.header(String(query['name'] ?? 'x-said'), String(query['said']))
        return { done: true }
      }
      engine.routes.add({ method: 'GET', url: '/said', auth: 'session', handle })
      engine.around({
        async admission({ headers, setHeader }, run) {
          if (headers['x-admitted'] !== undefined) setHeader('x-admitted', 'a\nb')
          return run()
        },
      })
      const resolve = () => answered('x', { headers: { 'x-said': 'a\nb' } })
      const field = () => ({
        type: graphql.GraphQLString,
        extensions: { root: { kind: 'resolved' as const, resolve } },
      })
      engine.graphql.contribute({ name: 'careless', query: () => fieldMap({ careless: field }) })
    },
  })
  const trellis = await startTrellis(t, { plugins: [careless], observe })
  const internal = { path: '$', error: 'internal error', code: 'unexpected' }
  const refused = await trellis.request('/said?said=a%0Ab')
  assert.deepEqual([refused.status, refused.headers.get('x-said'), refused.body], [500, null, internal])
  const other = await trellis.request('/said?name=x%20y&said=a')
  assert.deepEqual([other.status, other.body], [500, internal])
  const admitted = await trellis.request('/said?said=ok', { headers: { 'x-admitted': '1' } })
  assert.deepEqual([admitted.status, admitted.body], [500, internal])
  const errors = [{ extensions: { path: '$', code: 'unexpected' }, message: 'internal error' }]
  assert.deepEqual((await trellis.request('/v1/graphql', { body: { query: '{ careless }' } })).body, { errors })
  const told = observe.entries.filter(({ detail }) => /header/i.test(String(detail)))
  assert.equal(told.filter(({ type }) => type === 'unstructured').length, 4)
  assert.deepEqual((await trellis.request('/said?said=ok')).body, { done: true })
})

test('errors of libraries show no internals, with any status', async (t) => {
  const observe = recordingObserver()
  const found = () => {
    throw Object.assign(new Error('index ledger_2 not found'), { statusCode: 404 })
  }
  const asking = definePlugin({
    name: 'asking',
    dependencies: ['graphql'],
    register(engine) {
      engine.routes.add({ method: 'GET', url: '/ask', api: null, auth: 'none', handle: found })
      engine.operations.add(operation({ type: 'ask', args: Type.Object({}), editsMetadata: false, handle: found }))
      const root = (partial: boolean) => ({ kind: 'resolved', partial, resolve: found }) as const
      const fieldOf = (partial: boolean) => () => ({ type: graphql.GraphQLString, extensions: { root: root(partial) } })
      engine.graphql.contribute({ name: 'asking', query: () => fieldMap({ ask: fieldOf(false), part: fieldOf(true) }) })
      engine.auth.use({ mode: 'asking', authenticate: found })
    },
  })
  const trellis = await startTrellis(t, { plugins: [asking], observe, settings: { adminSecret: 'secret' } })
  const headers = { 'x-service-admin-secret': 'secret' }
  const internal = { path: '$', error: 'internal error', code: 'unexpected' }
  const answers = [
    await trellis.request('/ask'),
    await trellis.request('/v1/query', { body: { type: 'ask', args: {} }, headers }),
    await trellis.request('/v1alpha1/graphql', { body: { query: '{ ask }' }, headers }),
    await trellis.request('/v1alpha1/graphql', { body: { query: '{ part }' }, headers }),
    await trellis.request('/v1/query', { body: { type: 'ask', args: {} } }),
  ]
  const inGraphql = { message: 'internal error', extensions: { path: '$', code: 'unexpected' } }
  const inPart = {
    message: 'internal error',
    path: ['part'],
    extensions: { path: '$.selectionSet.part', code: 'unexpected' },
  }
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body]),
    [
      [500, internal],
      [500, { ...internal, path: '$.args' }],
      [500, { errors: [inGraphql] }],
      [200, { data: { part: null }, errors: [inPart] }],
      [500, internal],
    ],
  )
  const told = observe.entries.filter(({ type, detail }) => type === 'unstructured' && /ledger_2/.test(String(detail)))
  assert.equal(told.length, answers.length)
})
