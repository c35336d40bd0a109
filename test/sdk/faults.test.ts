// Faults of plugins in plain JavaScript, which TypeScript would find: they end the start, or the log names the plugin.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClosedFields, fieldFault } from '../../core/graphql/schema/field.ts'
import { definePlugin, type Engine, fieldMap, graphql, type PlannedField } from '../../sdk/doors/index.ts'
import { startTrellis } from '../../sdk/testing.ts'

const { GraphQLInt, GraphQLObjectType, GraphQLString, GraphQLInputObjectType } = graphql

const root = { kind: 'resolved', resolve: () => 1 } as const

/** A plugin with one root field, as JavaScript may write it. */
const withField = (field: unknown) =>
  definePlugin({
    name: 'faulty',
    dependencies: ['tables', 'graphql'],
    register: (engine) =>
      engine.graphql.contribute({ name: 'numbers', query: () => fieldMap({ number: () => field as PlannedField }) }),
  })

const books = 'create table books (id int primary key, title text)'

const answers = 'which is not called: its planner in extensions.root answers it'

test('a field that can serve no request ends the start, with its plugin and name', async () => {
  const { databaseUrl, ...first } = await startTrellis({ sql: books })
  await first.operation('track_table', 'books')
  const type = GraphQLInt
  const resolving = withField({ type, resolve: () => 1, extensions: { root } })
  await assert.rejects(startTrellis({ plugins: [resolving], databaseUrl }), {
    name: 'StartError',
    message: `plugin "faulty": GraphQL contribution "numbers": the root field "number" has "resolve", ${answers}`,
  })
  const taken = new GraphQLObjectType({ name: 'books', fields: { id: { type } } })
  await assert.rejects(startTrellis({ plugins: [withField({ type: taken, extensions: { root } })], databaseUrl }), {
    message:
      'plugin "faulty": GraphQL contribution "numbers": its type "books" has the name of another type: make the type by scope.type(name, build), under a name of its own',
  })
  const rows = definePlugin({
    name: 'faulty rows',
    dependencies: ['tables', 'graphql'],
    register: (engine) =>
      engine.graphql.contribute({
        name: 'pages',
        rowFields: () => fieldMap({ pages: () => ({ type, extensions: { root } }) }),
      }),
  })
  await assert.rejects(startTrellis({ plugins: [rows], databaseUrl }), {
    message:
      'plugin "faulty rows": GraphQL contribution "pages": the field "pages" of table "books" has no planner in extensions.row',
  })
  const hasty = definePlugin({
    name: 'hasty',
    register({ model, routes }) {
      routes.add({ method: 'GET', url: '/tables', auth: 'session', handle: () => model.tables.size })
    },
  })
  await assert.rejects(startTrellis({ plugins: [hasty], databaseUrl }), {
    message:
      'plugin "hasty" reads engine.model in register(), before a model is served: read it where a request is served',
  })
  const listed = definePlugin({
    name: 'lists',
    register: (engine) => engine.graphql.contribute({ name: 'lists', query: () => ({ a: 1 }) as never }),
  })
  await assert.rejects(startTrellis({ plugins: [listed], databaseUrl }), {
    message: 'plugin "lists": GraphQL contribution "lists" must return its query as a fieldMap',
  })
  await first.close()
})

test('each fault of a field has its reason', () => {
  const refused = (field: unknown, reason: string) => assert.equal(fieldFault(field, 'root'), reason)
  const type = GraphQLInt
  refused({ type, resolve: () => 1, extensions: { root } }, `has "resolve", ${answers}`)
  refused(
    { type, subscribe: () => 1, extensions: { root } },
    'has "subscribe", which is not called: a planner of kind "feed" in extensions.root answers it',
  )
  refused({ type }, 'has no planner in extensions.root')
  refused({ type, extensions: { row: root } }, 'has no planner in extensions.root')
  refused({ type, extensions: { root, row: root } }, 'has 2 planners (root, row), but needs exactly one')
  refused({ type, extensions: { rot: root } }, 'has extensions.rot, which is not used: did you mean "root"?')
  refused({ extensions: { root } }, 'has no valid output type')
  refused({ type, args: { n: {} }, extensions: { root } }, 'has the argument "n" without a valid input type')
  refused(
    { type, args: { n: { type, defaultValue: 3 } }, extensions: { root } },
    'has "defaultValue" in the argument "n", which is not used: write default: { value: 3 }',
  )
  refused(
    { type, extensions: { root: { kind: 'resolve' } } },
    `has a planner of unknown kind resolve: there are relational, mutation, resolved, feed`,
  )
  refused({ type, extensions: { root: { kind: 'relational' } } }, 'has a planner of kind "relational" without "plan"')
  refused(
    { type, extensions: { root: { kind: 'resolved' } } },
    'has a planner of kind "resolved" without "resolve" or "group"',
  )
})

/** Whether the type of `fieldMap` refuses a field. */
type Refused<Field> = Field extends PlannedField
  ? { a: () => Field } extends ClosedFields<{ a: () => Field }>
    ? false
    : true
  : true

test('the compiler refuses the same', () => {
  const type = GraphQLInt
  const extensions = { root }
  const fields = {
    right: { type, args: { n: { type, default: { value: 3 } } }, extensions },
    resolving: { type, resolve: () => 1, extensions },
    subscribing: { type, subscribe: () => 1, extensions },
    withDefaultValue: { type, args: { n: { type, defaultValue: 3 } }, extensions },
    withoutPlanner: { type },
    withUnknownPlanner: { type, extensions: { rot: root } },
    withMore: { type, extensions: { root, rot: 1 } },
    withTwoPlanners: { type, extensions: { root, row: { kind: 'resolved', needs: [], resolve: () => [] } as const } },
  }
  const refused: { [Name in keyof typeof fields]: Refused<(typeof fields)[Name]> } = {
    ...{ right: false, resolving: true, subscribing: true, withDefaultValue: true },
    ...{ withoutPlanner: true, withUnknownPlanner: true, withMore: true, withTwoPlanners: true },
  }
  for (const [name, isRefused] of Object.entries(refused)) {
    assert.equal(fieldFault(fields[name as keyof typeof fields], 'root') !== null, isRefused, name)
  }
})

test('errors of a plugin are logged with its name and stack, and answered without details', async () => {
  const fail = (): never => {
    throw new RangeError('the tide is out')
  }
  const filter = new GraphQLInputObjectType({
    name: 'tide_filter',
    fields: { n: { type: GraphQLInt, defaultValue: 3 } },
  })
  const register = (engine: Engine) => {
    engine.routes.add({ method: 'GET', url: '/tide', auth: 'session', handle: fail })
    engine.graphql.contribute({
      name: 'tides',
      query: () =>
        fieldMap({
          planned: () => ({ type: GraphQLString, extensions: { root: { kind: 'relational', plan: fail } } }),
          resolved: () => ({ type: GraphQLString, extensions: { root: { kind: 'resolved', resolve: fail } } }),
          filtered: () => ({
            type: GraphQLInt,
            args: { by: { type: filter } },
            extensions: { root: { ...root, plan: (field) => field.argument('by')?.members() } },
          }),
        }),
      rowFields: () =>
        fieldMap({
          tide: () => ({ type: GraphQLString, extensions: { row: { kind: 'relational', plan: fail } } }),
          tides: () => ({
            type: GraphQLString,
            extensions: { row: { kind: 'resolved', needs: ['id'], resolve: fail } },
          }),
        }),
    })
  }
  const tides = definePlugin({ name: 'tides', dependencies: ['tables', 'graphql'], register })
  await using trellis = await startTrellis({
    plugins: [tides],
    sql: `${books}; insert into books values (1)`,
    observe() {},
  })
  await trellis.operation('track_table', 'books')
  const logged = () => trellis.log.filter(({ type }) => type === 'unstructured').at(-1)?.detail
  const stack = /^plugin "tides": RangeError: the tide is out\n +at .*fail/
  assert.equal((await trellis.request('/tide')).status, 500)
  assert.match(String(logged()), stack)
  for (const query of ['{ planned }', '{ resolved }', '{ books { tide } }', '{ books { tides } }']) {
    const before = trellis.log.length
    const { errors } = await trellis.graphql(query)
    assert.equal(errors?.[0]?.message, 'internal error', query)
    assert.match(String(trellis.log.slice(before).find(({ type }) => type === 'unstructured')?.detail), stack, query)
  }
  assert.equal((await trellis.graphql('{ filtered(by: {}) }')).errors?.[0]?.message, 'internal error')
  const reason =
    'the field "n" of the input type "tide_filter" has "defaultValue", which is not used: write default: { value }'
  assert.ok(String(logged()).includes(reason))
})
