// Mistakes in plugins written in JavaScript, which has no compiler to find them. The start fails with the plugin's
// name, and other engines are not affected.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PluginError } from '../../core/engine/plugins.ts'
import { actionHandlers } from '../../plugins/actions/index.ts'
import { jobs } from '../../plugins/jobs/index.ts'
import { definePlugin, type Engine, fieldMap, graphql, operation, option, type Plugin, Type } from '../../sdk/index.ts'
import { recordingObserver } from '../http/server.ts'
import { startTrellis } from '../support/trellis.ts'

/** Hides a type error, as in JavaScript. */
const untyped = (value: unknown) => value as never

const mistaken = (register: (engine: Engine) => unknown, more: object = {}): Plugin =>
  definePlugin({ name: 'mine', dependencies: ['graphql', 'jobs', 'actions'], register: untyped(register), ...more })

const handle = () => null
const notes = { schema: Type.Array(Type.String()), empty: [] }

const mistakes: Readonly<Record<string, readonly [plugin: unknown, message: RegExp]>> = {
  'undefined instead of a plugin': [undefined, /^undefined is not a plugin: it must come from definePlugin/],
  'a module instead of its plugin': [{ default: mistaken(() => {}) }, /^\{ default: .* is not a plugin/],
  'an object without definePlugin': [{ name: 'mine', register() {} }, /^\{ name: 'mine', .* is not a plugin/],
  'a plugin without a name': [mistaken(() => {}, { name: undefined }), /^\{.* is not a plugin/],
  'an undefined option': [
    mistaken(() => {}, { options: { size: undefined } }),
    /^plugin "mine" declares an option "size" without option\.text or its like$/,
  ],
  'an unknown auth of a route': [
    mistaken(({ routes }) => routes.add(untyped({ method: 'GET', url: '/x', auth: 'admins', handle }))),
    /^plugin "mine" failed to start: route GET \/x: "auth" has to be one of admin, session, none, but is admins$/,
  ],
  'a route without auth': [
    mistaken(({ routes }) => routes.add(untyped({ method: 'GET', url: '/x', handle }))),
    /^plugin "mine" failed to start: route GET \/x: "auth" has to be one of .*, but is undefined$/,
  ],
  'a lower-case method': [
    mistaken(({ routes }) => routes.add(untyped({ method: 'get', url: '/x', auth: 'none', handle }))),
    /^plugin "mine" failed to start: route get \/x: "method" has to be one of GET, POST, PUT, PATCH, DELETE, but is get$/,
  ],
  'a route without a handler': [
    mistaken(({ routes }) => routes.add(untyped({ method: 'GET', url: '/x', auth: 'none' }))),
    /^plugin "mine" failed to start: route GET \/x: "handle" has to be a function$/,
  ],
  'an unknown kind of work': [
    mistaken(({ around }) => around(untyped({ documents: handle, request: undefined }))),
    /^plugin "mine" failed to start: around has no member "documents", did you mean "document"\?$/,
  ],
  'a hook that is not a function': [
    mistaken(({ around }) => around(untyped({ document: {} }))),
    /^plugin "mine" failed to start: around: "document" has to be a function$/,
  ],
  'a narrowing with an unknown member': [
    mistaken(({ access }) => access.narrow(untyped({ name: 'hidden', where: handle }))),
    /^plugin "mine" failed to start: the narrowing "hidden" has no member "where": there are rows, written, change$/,
  ],
  'a contribution with an unknown member': [
    mistaken((engine) => engine.graphql.contribute(untyped({ name: 'mine', queries: handle }))),
    /^plugin "mine" failed to start: GraphQL contribution "mine" has no member "queries": there are query, mutation, /,
  ],
  'an asynchronous document hook': [
    mistaken(({ around }) => around(untyped({ document: async () => null }))),
    /^plugin "mine" failed to start: around: "document" must not be asynchronous$/,
  ],
  'asynchronous fields': [
    mistaken((engine) => engine.graphql.contribute(untyped({ name: 'mine', query: async () => fieldMap({}) }))),
    /^plugin "mine" failed to start: GraphQL contribution "mine": "query" must not be asynchronous$/,
  ],
  'an operation without a handler': [
    mistaken(({ operations }) => operations.add(untyped({ type: 'x', args: Type.Any() }))),
    /^plugin "mine" failed to start: operation "x": "handle" has to be a function$/,
  ],
  'a list of operations instead of one': [
    mistaken(({ operations }) => operations.add(untyped([operation({ type: 'x', args: Type.Any(), handle })]))),
    /^plugin "mine" failed to start: an operation must be declared by an object, not by \[ \{ type: 'x', .*$/,
  ],
  'arguments without a TypeBox schema': [
    mistaken(({ operations }) => operations.add(untyped({ type: 'x', args: { type: 'object' }, handle }))),
    /^plugin "mine" failed to start: operation "x": "args" has to be a TypeBox schema$/,
  ],
  'a job without a function': [
    mistaken((engine) => engine.use(jobs).declare(untyped({ name: 'nightly' }))),
    /^plugin "mine" failed to start: job "nightly": "run" has to be a function$/,
  ],
  'an asynchronous resolve': [
    mistaken(({ metadata }) => {
      const resolve = () => Promise.reject(new Error('nobody waits'))
      metadata.slice('notes', untyped({ ...notes, resolve }))
    }),
    /^plugin "mine" failed to resolve the metadata "notes": "resolve" must not be asynchronous$/,
  ],
  'a source whose wanted fails': [
    mistaken(({ metadata }) => {
      const wanted = () => {
        throw new Error('no idea')
      }
      metadata.source({ key: 'mine', wanted, fetch: async () => null })
    }),
    /^plugin "mine" failed in "wanted" of the source "mine": no idea$/,
  ],
  'a failing Fastify plugin': [
    mistaken(({ app }) => {
      app.register(() => Promise.reject(new Error('not here')))
    }),
    /^plugin "mine" failed to start: not here$/,
  ],
  'an unknown Fastify hook': [
    mistaken(({ app }) => void app.addHook(untyped('onNothing'), untyped(handle))),
    /^plugin "mine" failed to start: onNothing hook not supported!$/,
  ],
  'a name instead of a list of dependencies': [
    mistaken(() => {}, { dependencies: 'graphql' }),
    /^plugin "mine" is declared wrongly: "dependencies" has to be a list of the names of plugins$/,
  ],
  'plugins instead of names as dependencies': [
    mistaken(() => {}, { dependencies: [mistaken(() => {})] }),
    /^plugin "mine" is declared wrongly: "dependencies" has to be a list of the names of plugins$/,
  ],
  'an unknown member of the plugin': [
    mistaken(() => {}, { dependancies: [] }),
    /^plugin "mine" is declared wrongly: definePlugin has no member "dependancies", did you mean "dependencies"\?$/,
  ],
  'a member of the plugin that is like no other': [
    mistaken(() => {}, { depends: ['tables'] }),
    /^plugin "mine" is declared wrongly: definePlugin has no member "depends", there are name, api, .*, register$/,
  ],
  'a migration instead of a list': [
    mistaken(() => {}, { migrations: { name: '1', sql: 'select 1' } }),
    /^plugin "mine" is declared wrongly: "migrations" has to be a list of \{ name, sql \}, each of them a text$/,
  ],
  'a migration without SQL': [
    mistaken(() => {}, { migrations: [{ name: '1', sql: async () => {} }] }),
    /^plugin "mine" is declared wrongly: "migrations" has to be a list of \{ name, sql \}, each of them a text$/,
  ],
  'a migration whose name is a number, which would run at each start': [
    mistaken(() => {}, { migrations: [{ name: 1, sql: 'select 1' }] }),
    /^plugin "mine" is declared wrongly: "migrations" has to be a list/,
  ],
  'a list of options': [
    mistaken(() => {}, { options: [] }),
    /^plugin "mine" is declared wrongly: "options" has to be an object of options$/,
  ],
  'a flag with dashes': [
    mistaken(() => {}, { options: { size: option.text({ flag: '--size', description: 'how large' }) } }),
    /^plugin "mine" declares an option "size" whose "flag" has to be in small letters, digits and hyphens$/,
  ],
  'an invalid name of an API': [
    mistaken(() => {}, { api: 5 }),
    /^plugin "mine" is declared wrongly: "api" has to be a text without commas$/,
  ],
  'an unknown check': [
    mistaken(({ operations }) => operations.add(untyped({ type: 'x', args: Type.Any(), handle, check: 'objects' }))),
    /^plugin "mine" failed to start: operation "x": "check" has to be one of none, object, new, strict, but is objects$/,
  ],
  'an object check without an object': [
    mistaken(({ operations }) => operations.add(untyped({ type: 'x', args: Type.Any(), handle, check: 'object' }))),
    /^plugin "mine" failed to start: operation "x": "object" has to be a function$/,
  ],
  'unknown schemas': [
    mistaken((engine) => engine.graphql.contribute(untyped({ name: 'mine', schemas: ['std'], query: handle }))),
    /^plugin "mine" failed to start: GraphQL contribution "mine": each of "schemas" has to be one of standard, relay, but is std$/,
  ],
  'a slice with a reserved name, which would never be imported': [
    mistaken(({ metadata }) => metadata.slice(untyped('version'), untyped(notes))),
    /^plugin "mine" failed to start: metadata slice "version": documents have another member of that name$/,
  ],
  'a slice without a schema': [
    mistaken(({ metadata }) => metadata.slice('notes', untyped({ empty: [] }))),
    /^plugin "mine" failed to start: metadata slice "notes": "schema" has to be a TypeBox schema$/,
  ],
  'a slice without an initial value': [
    mistaken(({ metadata }) => metadata.slice('notes', untyped({ schema: notes.schema }))),
    /^plugin "mine" failed to start: metadata slice "notes": "empty", its initial value, is missing$/,
  ],
  'a misspelt member of a slice': [
    mistaken(({ metadata }) => metadata.slice('notes', untyped({ ...notes, entrykey: handle }))),
    /^plugin "mine" failed to start: metadata slice "notes" has no member "entrykey", did you mean "entryKey"\?$/,
  ],
  'a slice before an unknown stage': [
    mistaken(({ metadata }) => metadata.slice('notes', untyped({ ...notes, before: 'rule' }))),
    /^plugin "mine" failed to start: metadata slice "notes": "before" has to be one of fields, rules, but is rule$/,
  ],
  'an undefined facet': [
    mistaken(({ metadata }) => metadata.facet(untyped(undefined))),
    /^plugin "mine" failed to start: a table facet must be declared by an object, not by undefined$/,
  ],
  'a source without fetch': [
    mistaken(({ metadata }) => metadata.source(untyped({ key: 'mine', wanted: () => [] }))),
    /^plugin "mine" failed to start: metadata source "mine": "fetch" has to be a function$/,
  ],
  'a source whose wanted gives no list': [
    mistaken(({ metadata }) => metadata.source(untyped({ key: 'mine', wanted: () => ({}), fetch: handle }))),
    /^plugin "mine" failed in "wanted" of the source "mine": "wanted" has to give a list$/,
  ],
  'an effect that is not a function': [
    mistaken(({ metadata }) => metadata.effect(untyped({}))),
    /^plugin "mine" failed to start: metadata: "effect" has to be a function$/,
  ],
  'type names that are not a list': [
    mistaken(({ metadata }) => metadata.typeNames(untyped({ fixed: 'Report' }))),
    /^plugin "mine" failed to start: names of types: "fixed" has to be a list of texts$/,
  ],
  'a closing hook that is not a function': [
    mistaken(({ onClose }) => onClose(untyped(undefined))),
    /^plugin "mine" failed to start: a hook of the server: "onClose" has to be a function$/,
  ],
  'session settings that are not a function': [
    mistaken(({ sessionSettings }) => sessionSettings.add(untyped({ 'app.tag': 'x' }))),
    /^plugin "mine" failed to start: session settings must be given as a function$/,
  ],
  'a member of the configuration without a value': [
    mistaken(({ configuration }) => configuration.add(untyped({ key: 'k', place: 1, schema: Type.Any() }))),
    /^plugin "mine" failed to start: the member "k" of the configuration: "value" has to be a function$/,
  ],
  'a measure of an unknown kind': [
    mistaken(({ measures }) => measures.add(untyped({ name: 'm', help: 'h', kind: 'count', read: () => [] }))),
    /^plugin "mine" failed to start: the measure "m": "kind" has to be one of counter, gauge, histogram, but is count$/,
  ],
  'a measure without read': [
    mistaken(({ measures }) => measures.add(untyped({ name: 'm', help: 'h', kind: 'gauge' }))),
    /^plugin "mine" failed to start: the measure "m": "read" has to be a function$/,
  ],
  'a type without a codec': [
    mistaken(({ types }) => types.add(untyped({ name: 'point' }))),
    /^plugin "mine" failed to start: type "point": "codec" has to be a function$/,
  ],
  'an operator with an invalid name': [
    mistaken(({ comparisons }) => comparisons.add(untyped({ name: 'is above', operand: 'text', sql: handle }))),
    /^plugin "mine" failed to start: operator is above: "name" has to be a name of GraphQL that begins with _, such as _above$/,
  ],
  'an operator that core has for the type': [
    mistaken(({ comparisons }) =>
      comparisons.add(untyped({ name: '_eq', types: ['text'], operand: 'scalar', sql: handle })),
    ),
    /^plugin "mine" failed to start: the operator _eq already exists$/,
  ],
  'an operator with an unknown operand': [
    mistaken(({ comparisons }) => comparisons.add(untyped({ name: '_above', operand: 'scalars', sql: handle }))),
    /^plugin "mine" failed to start: operator _above: "operand" has to be one of scalar, .*, but is scalars$/,
  ],
  'an authenticator without authenticate': [
    mistaken(({ auth }) => auth.use(untyped({ mode: 'api-key' }))),
    /^plugin "mine" failed to start: authentication mode "api-key": "authenticate" has to be a function$/,
  ],
  'a job with an unknown place': [
    mistaken((engine) => engine.use(jobs).declare(untyped({ name: 'nightly', per: 'node', run: handle }))),
    /^plugin "mine" failed to start: job "nightly": "per" has to be one of cluster, instance, and is node$/,
  ],
  'a schedule that is a text': [
    mistaken((engine) => engine.use(jobs).declare(untyped({ name: 'nightly', schedule: '* * * * *', run: handle }))),
    /^plugin "mine" failed to start: job "nightly": "schedule" has to be an object with cron, every or at$/,
  ],
  'an action without a function': [
    mistaken((engine) => engine.use(actionHandlers).handle('greet', untyped({}))),
    /^plugin "mine" failed to start: the handler of action "greet" has to be a function$/,
  ],
  'a thrown value that is not an error': [
    mistaken(() => Promise.reject({ why: 'not today' })),
    /^plugin "mine" failed to start: \{ why: 'not today' \}$/,
  ],
}

for (const [title, [plugin, message]] of Object.entries(mistakes)) {
  test(`the start fails for ${title}`, async (t) => {
    await assert.rejects(startTrellis(t, { plugins: [untyped(plugin)] }), (error: Error) => {
      assert.ok(error instanceof PluginError, error.stack)
      assert.match(error.message, message)
      return true
    })
  })
}

test('a route may spell its API as the plugin does', async (t) => {
  const register = ({ routes }: Engine) =>
    routes.add({ method: 'GET', url: '/x', api: 'Notes', auth: 'none', handle: () => 1 })
  const trellis = await startTrellis(t, { plugins: [mistaken(register, { api: 'Notes' })] })
  assert.equal((await trellis.request('/x')).body, 1)
})

test('an instance of a class with other members can be a hook', async (t) => {
  class Counting {
    count = 0
    readonly tell = () => `${this.count}`
    operation<T>(_work: unknown, run: () => Promise<T>): Promise<T> {
      return run()
    }
  }
  await startTrellis(t, { plugins: [mistaken(({ around }) => around(new Counting()))] })
})

test('a thrown value that is not an error is logged', async (t) => {
  const observe = recordingObserver()
  const thrown = { nothing: undefined, null: null, object: { why: { not: 'today' } } }
  const plugin = mistaken(({ routes }) => {
    for (const [name, value] of Object.entries(thrown)) {
      const fail = () => Promise.reject(value)
      routes.add({ method: 'GET', url: `/${name}`, auth: 'none', handle: fail })
    }
  })
  const trellis = await startTrellis(t, { plugins: [plugin], observe })
  for (const name of Object.keys(thrown)) assert.equal((await trellis.request(`/${name}`)).status, 500)
  const told = observe.entries.filter(({ type, level }) => type === 'unstructured' && level === 'error')
  const lines = told.map(({ detail }) => String(detail).split('\n')[0])
  const [first, second, third] = lines
  assert.deepEqual([first, second], ['Error: undefined was thrown', 'Error: null was thrown'])
  assert.equal(third, `plugin "mine": { why: { not: 'today' } }`)
})

test('values that JSON cannot represent are refused with their path', async (t) => {
  const { GraphQLFloat, GraphQLNonNull, GraphQLString } = graphql
  const required = new GraphQLNonNull(GraphQLFloat)
  const fields = {
    big: [GraphQLString, 10n],
    call: [GraphQLString, () => 1],
    none: [GraphQLFloat, Number.NaN],
    required: [required, Number.NaN],
    number: [required, 1.5],
  } as const
  const plugin = mistaken((engine) => {
    const query = () =>
      fieldMap(
        Object.fromEntries(
          Object.entries(fields).map(([name, [type, value]]) => [
            name,
            () => ({ type, extensions: { root: { kind: 'resolved' as const, resolve: () => value } } }),
          ]),
        ),
      )
    engine.graphql.contribute({ name: 'mine', query })
  })
  const trellis = await startTrellis(t, { plugins: [plugin] })
  assert.deepEqual(await trellis.graphql('{ number none }'), { data: { number: 1.5, none: null } })
  const refused = {
    big: 'the value of field "big" is a bigint, which JSON cannot express',
    call: 'the value of field "call" is a function, which JSON cannot express',
    required: 'expecting not null value for field "required"',
  }
  for (const [field, message] of Object.entries(refused)) {
    const extensions = { path: `$.selectionSet.${field}`, code: 'unexpected' }
    assert.deepEqual(await trellis.graphql(`{ number ${field} }`), { errors: [{ extensions, message }] })
  }
})

for (const kind of ['request', 'admission'] as const) {
  test(`a ${kind} hook that does not call run is an error of the request`, async (t) => {
    const observe = recordingObserver()
    const plugin = mistaken(({ around }) => around({ [kind]: untyped(async () => {}) }))
    const trellis = await startTrellis(t, { plugins: [plugin], observe })
    const { status, body } = await trellis.request('/v1/graphql', { body: { query: '{ __typename }' } })
    const errors = [{ extensions: { path: '$', code: 'unexpected' }, message: 'internal error' }]
    assert.deepEqual([status, body], [200, { errors }])
    const message = 'Error: a request hook of a plugin must call run(), answer or throw'
    assert.ok(observe.entries.some(({ detail }) => String(detail).startsWith(message)))
  })
}

test('a failing member of the configuration does not hide the others', async (t) => {
  const observe = recordingObserver()
  const plugin = mistaken(({ configuration }) => {
    const value = () => {
      throw new Error('not now')
    }
    configuration.add({ key: 'mine', place: 1, schema: Type.Any(), value })
    configuration.add({ key: 'large', place: 2, schema: Type.Any(), value: () => ({ size: 10n }) })
  })
  const trellis = await startTrellis(t, { plugins: [plugin], observe })
  const { status, body } = await trellis.request('/v1alpha1/config')
  assert.equal(status, 200)
  assert.ok(!Object.hasOwn(Object(body), 'mine') && Object.hasOwn(Object(body), 'version'))
  const reasons = { mine: 'not now', large: 'Do not know how to serialize a BigInt' }
  for (const [key, reason] of Object.entries(reasons)) {
    const detail = `the member "${key}" of the configuration cannot be reported: ${reason}`
    assert.ok(observe.entries.some((entry) => entry.detail === detail))
  }
})

for (const hook of ['preClose', 'onClose'] as const) {
  test(`a failing Fastify hook (${hook}) at the end does not stop the others`, async (t) => {
    const observe = recordingObserver()
    const seen: string[] = []
    const plugin = mistaken((engine) => {
      engine.app.addHook(
        untyped(hook),
        untyped(() => Promise.reject(new Error('too late'))),
      )
      engine.onClose(async () => {
        await engine.database.rows('select 1')
        seen.push('closed')
      })
    })
    const trellis = await startTrellis(t, { plugins: [plugin], observe })
    await trellis.engine.close()
    assert.deepEqual(seen, ['closed'])
    await assert.rejects(trellis.request('/healthz'), /fetch failed/)
    assert.ok(observe.entries.some(({ detail }) => /^the HTTP server failed to close: .*too late/.test(String(detail))))
  })
}
