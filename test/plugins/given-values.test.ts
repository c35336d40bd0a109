// Values that plugins pass to the engine: variables of requests, sessions, and texts of their types. Programs have
// more kinds of values than JSON, and JavaScript has no compiler to check them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assumedSession, fieldMap, graphql, operation, type Session, Type } from '../../sdk/index.ts'
import { recordingObserver } from '../http/server.ts'
import { startTrellis } from '../support/trellis.ts'
import { keeper } from './keeper.ts'

test('variables that JSON cannot represent are refused with their path', async (t) => {
  const { plugin, engine } = keeper()
  const sql = 'create table ship (id int primary key, tonnage float8, built int8, cost numeric, log jsonb)'
  const trellis = await startTrellis(t, { plugins: [plugin], sql })
  await trellis.op('track_table', 'ship')
  const asAdmin = assumedSession({}, engine().dialect)
  const refusals = {
    id: [
      ['Int', Number('x'), 'expected a 32-bit integer for type "Int", but found NaN'],
      ['Int', 10n, 'expected a 32-bit integer for type "Int", but found a bigint'],
    ],
    tonnage: [['float8', Infinity, 'parsing Scientific failed, expected Number, but encountered Infinity']],
    built: [
      ['bigint', Number.NaN, 'parsing Int64 failed, expected Number, but encountered NaN'],
      ['bigint', 10n, 'parsing Int64 failed, expected Number, but encountered a bigint'],
    ],
    cost: [['numeric', -Infinity, 'parsing Scientific failed, expected Number, but encountered -Infinity']],
    log: [
      ['jsonb', 10n, 'the value for type jsonb cannot be encoded as JSON'],
      ['jsonb', { at: 10n }, 'the value for type jsonb cannot be encoded as JSON'],
      ['jsonb', () => 1, 'the value for type jsonb cannot be encoded as JSON'],
      ['jsonb', Symbol('log'), 'the value for type jsonb cannot be encoded as JSON'],
    ],
  } as const
  for (const [column, cases] of Object.entries(refusals)) {
    for (const [type, given, message] of cases) {
      const query = `query ($given: ${type}!) { ship(where: {${column}: {_eq: $given}}) { id } }`
      const request = { query, operationName: null, variables: { given } }
      const path = ['selectionSet', 'ship', 'args', 'where', column, '_eq']
      const run = engine().graphql.execute(request, asAdmin, { headers: {} })
      await assert.rejects(run, { status: 400, message, path })
    }
  }
})

/** Hides a type error, as in JavaScript. */
const untyped = (value: unknown) => value as never

test('an invalid session of an authenticator is refused, and the log has the reason', async (t) => {
  const observe = recordingObserver()
  let given: unknown
  const { plugin } = keeper(({ auth }) => auth.use({ mode: 'api-key', authenticate: () => untyped(given) }))
  const settings = { adminSecret: 'secret' }
  const sql = 'create table ship (id int primary key, owner int); insert into ship values (1, 5)'
  const trellis = await startTrellis(t, { plugins: [plugin], settings, sql, observe })
  const headers = { 'x-service-admin-secret': 'secret' }
  await trellis.op('track_table', 'ship', { headers })
  const permission = { columns: ['id'], filter: { owner: 'X-Service-User-Id' } }
  await trellis.op('create_select_permission', { table: 'ship', role: 'owner', permission }, { headers })

  const session = (variables: object) => ({ role: 'owner', variables, backendOnly: false })
  const good = session({ 'x-service-user-id': '5' })
  // A library's promise, which is not an instance of `Promise`.
  const like = Object.fromEntries([['then', (done: (value: unknown) => void) => done(good)]])
  for (const each of [good, Promise.resolve(good), like]) {
    given = each
    assert.deepEqual(await trellis.graphql('{ ship { id } }'), { data: { ship: [{ id: 1 }] } })
  }

  const wrong: readonly (readonly [given: unknown, fault: string])[] = [
    [
      session({ 'x-service-user-id': 5 }),
      'the session variable "x-service-user-id" must be a string, but is of type number',
    ],
    [
      Promise.resolve(session({ 'x-service-user-id': undefined })),
      'the session variable "x-service-user-id" must be a string, but is of type undefined',
    ],
    [
      session({ 'X-Service-User-Id': '5' }),
      'the name of the session variable "X-Service-User-Id" must be in lower case',
    ],
    [{ role: 'owner' }, 'session variables must be an object'],
    [{ variables: {} }, 'its role has to be a text that is not empty'],
    [{ role: '', variables: {} }, 'its role has to be a text that is not empty'],
    ['owner', 'its role has to be a text that is not empty'],
    [undefined, 'its role has to be a text that is not empty'],
    [null, 'its role has to be a text that is not empty'],
  ]
  for (const [value, fault] of wrong) {
    given = value
    observe.entries.length = 0
    const errors = [{ extensions: { path: '$', code: 'unexpected' }, message: 'internal error' }]
    assert.deepEqual(await trellis.graphql('{ ship { id } }'), { errors })
    const told = observe.entries.flatMap(({ type, detail }) => (type === 'unstructured' ? [String(detail)] : []))
    assert.deepEqual(
      told.map((text) => text.split('\n')[0]),
      [`Error: authentication mode "api-key" returned an invalid session: ${fault}`],
    )
  }
})

test('a role under an invalid variable name never gives the role admin', async (t) => {
  const { plugin, engine } = keeper()
  await startTrellis(t, { plugins: [plugin] })
  const { dialect } = engine()
  const upper = { message: 'the name of the session variable "X-Service-Role" must be in lower case' }
  assert.throws(() => assumedSession({ 'X-Service-Role': 'guest' }, dialect), upper)
  const none = { message: 'the session variable "x-service-role" must be a string, but is of type undefined' }
  assert.throws(() => assumedSession(untyped({ 'x-service-role': undefined }), dialect), none)
  assert.equal(assumedSession({ 'x-service-role': 'guest' }, dialect).role, 'guest')
})

test('an error names the session variable or codec that is not a text', async (t) => {
  const { plugin, engine } = keeper(({ types }) => {
    types.add({
      name: 'point',
      codec: ({ name }) => ({ type: name, encode: (value) => untyped(value) }),
      ordered: false,
    })
  })
  const sql = 'create table ship (id int primary key, place point)'
  const trellis = await startTrellis(t, { plugins: [plugin], sql })
  await trellis.op('track_table', 'ship')
  const permission = { columns: ['id'], filter: { id: 'X-Service-Ship' } }
  await trellis.op('create_select_permission', { table: 'ship', role: 'guest', permission })

  const run = (query: string, session: Session, variables = {}) =>
    engine().graphql.execute({ query, operationName: null, variables }, session, { headers: {} })
  const number = { role: 'guest', variables: untyped({ 'x-service-ship': 1 }), backendOnly: false }
  const variable = { message: 'the session variable "x-service-ship" must be a string, but is of type number' }
  await assert.rejects(run('{ ship { id } }', number), variable)
  const moved = 'mutation ($to: point) { update_ship(where: {}, _set: {place: $to}) { affected_rows } }'
  const codec = { message: 'the result of the codec of type "point" must be a string, but is of type number' }
  await assert.rejects(run(moved, assumedSession({}, engine().dialect), { to: 5 }), codec)
})

test('a root field with an invalid name is omitted, and others are kept', async (t) => {
  const Term = Type.Object({ name: Type.String() })
  const type = graphql.GraphQLString
  const { plugin } = keeper((engine) => {
    engine.metadata.slice(untyped('terms'), {
      schema: Type.Array(Term),
      empty: untyped([]),
      entryKey: ({ name }: { name: string }) => name,
      resolve(terms: readonly { name: string }[], context) {
        const isServed = (term: { name: string }) => {
          const object = { ref: { kind: 'term', name: term.name }, type: 'term', definition: term }
          return context.claimRootFields(object, { query: [`term_${term.name}`] })
        }
        return untyped(terms.filter(isServed))
      },
    })
    engine.operations.add(
      operation({
        type: 'add_term',
        args: Term,
        check: 'object',
        object: ({ name }) => ({ kind: 'term', name }),
        handle: ({ metadata }, term) => void (metadata as unknown as { terms: object[] }).terms.push(term),
      }),
    )
    engine.graphql.contribute({
      name: 'terms',
      query({ model }) {
        const terms = untyped(model.slices['terms' as never]) as readonly { name: string }[]
        const field = () => ({ type, extensions: { root: { kind: 'resolved', resolve: () => 'x' } } }) as const
        return fieldMap(Object.fromEntries(terms.map(({ name }) => [`term_${name}`, field])))
      },
    })
  })
  const trellis = await startTrellis(t, { plugins: [plugin] })
  await trellis.op('add_term', { name: 'berth' })
  const reason = '"term_dry dock" is not a valid GraphQL name'
  const internal = [{ type: 'term', definition: { name: 'dry dock' }, reason }]
  assert.deepEqual(await trellis.opError('add_term', { name: 'dry dock' }), {
    status: 400,
    body: { path: '$.args', error: reason, code: 'constraint-violation', internal },
  })
  const introspection = '{ __type(name: "query_root") { fields { name } } }'
  assert.deepEqual(await trellis.graphql(introspection), { data: { __type: { fields: [{ name: 'term_berth' }] } } })
})

test('an invalid name of a root field ends the start', async (t) => {
  const type = graphql.GraphQLString
  const { plugin } = keeper((engine) => {
    const field = () => ({ type, extensions: { root: { kind: 'resolved', resolve: () => 'x' } } }) as const
    engine.graphql.contribute({ name: 'docks', query: () => fieldMap({ 'dry dock': field }) })
  })
  const message = 'plugin "mine": GraphQL contribution "docks": the root field "dry dock" has no valid GraphQL name'
  await assert.rejects(startTrellis(t, { plugins: [plugin] }), { message })
})

test('an error names settings of sessions that are not texts', async (t) => {
  const observe = recordingObserver()
  let given: unknown = {}
  const { plugin } = keeper(({ sessionSettings }) => sessionSettings.add(() => untyped(given)))
  const sql = `create table ship (id serial primary key, owner text default current_setting('app.owner', true))`
  const trellis = await startTrellis(t, { plugins: [plugin], sql, observe })
  await trellis.op('track_table', 'ship')
  const wrong: readonly (readonly [given: unknown, message: string])[] = [
    [{ 'app.owner': 5 }, 'the setting "app.owner" of a session must be a string, but is of type number'],
    [{ 'app.owner': undefined }, 'the setting "app.owner" of a session must be a string, but is of type undefined'],
    [Promise.resolve({ 'app.owner': '5' }), 'session settings must be returned synchronously, not as a promise'],
  ]
  for (const [value, message] of wrong) {
    given = value
    const errors = [{ extensions: { path: '$', code: 'unexpected' }, message: 'internal error' }]
    assert.deepEqual(await trellis.graphql('mutation { insert_ship_one(object: {}) { owner } }'), { errors })
    assert.equal((await trellis.opError('run_sql', { sql: 'select 1' })).status, 500)
    const told = observe.entries.flatMap(({ type, detail }) => (type === 'unstructured' ? [String(detail)] : []))
    observe.entries.length = 0
    assert.deepEqual(
      told.map((text) => text.split('\n')[0]),
      [`plugin "mine": Error: ${message}`, `plugin "mine": Error: ${message}`],
    )
  }
  given = { 'app.owner': '5' }
  const inserted = { data: { insert_ship_one: { owner: '5' } } }
  assert.deepEqual(await trellis.graphql('mutation { insert_ship_one(object: {}) { owner } }'), inserted)
})

test('a request of a plugin without a query is refused for that', async (t) => {
  const { plugin, engine } = keeper()
  await startTrellis(t, { plugins: [plugin] })
  const request = { query: untyped(undefined), operationName: null, variables: null }
  const run = engine().graphql.execute(request, assumedSession({}, engine().dialect), { headers: {} })
  await assert.rejects(run, (error: { message: string; help: () => object }) => {
    assert.deepEqual(
      [error.message, error.help()],
      ['not a valid graphql query', { hint: 'the query is not a string' }],
    )
    return true
  })
})
