// Schemas of plugins as remote schemas: the same features as those of servers, without HTTP.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildSchema, execute, GraphQLError, GraphQLSchema } from 'graphql'
import people from '../../examples/people.ts'
import { actionHandlers } from '../../plugins/actions/index.ts'
import { type LocalCall, type LocalSchema, remoteSchemas } from '../../plugins/remote-schemas/graphql.ts'
import { badRequest, definePlugin } from '../../sdk/index.ts'
import { startOther } from '../auth/other-server.ts'
import { recordingObserver } from '../http/server.ts'
import { graphqlSseClient, graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { testDatabase } from '../support/database.ts'
import { startLibrary } from '../support/library.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const types = `
  type Query {
    person(id: Int!): Person
    people(ids: [Int!]!, region: String = "all"): [Person]!
    named: [Named!]!
    big(value: BigInt): BigInt
    caller: Caller
    hangs: Int
    fails: Int
    refuses: Int
    wrong: Int!
    region(of: String!): String
    fetched: String
  }
  type Mutation { rename(id: Int!, name: String!): Person }
  type Subscription { ticks(to: Int!): Tick  broken: Int  silent: Int }
  interface Named { name: String! }
  type Person implements Named { id: Int!  name: String!  salary: Float  boss: Person  reports(first: Int = 2): [Person!]! }
  type Ship implements Named { name: String!  size: BigInt }
  type Tick { n: Int! by: String }
  type Caller { role: String!  user: String  agent: String }
  scalar BigInt
`

const names = new Map<number, string>()

const person = (id: number): object => ({
  ...{ __typename: 'Person', id, name: names.get(id) ?? `person ${id}`, salary: id * 1.5 },
  boss: () => (id > 1 ? person(id - 1) : null),
  reports: ({ first }: { first: number }) => Array.from({ length: first }, (_, i) => person(id * 10 + i)),
})

/** The signals of calls that hang. */
const hanging: (AbortSignal | null)[] = []

const rootValue = {
  person: ({ id }: { id: number }) => (id > 0 ? person(id) : null),
  people: async ({ ids }: { ids: number[] }) => ids.map((id) => (id > 90 ? null : person(id))),
  named: () => [person(1), { __typename: 'Ship', name: 'Argo', size: 2n ** 70n }],
  big: ({ value }: { value: unknown }) => (typeof value === 'bigint' ? value + 1n : '12345678901234567890.10'),
  caller: (_: unknown, { session, headers }: LocalCall) => ({
    ...{ role: session.role, user: session.variables['x-service-user-id'], agent: headers['x-agent'] },
  }),
  hangs(_: unknown, { signal }: LocalCall) {
    hanging.push(signal)
    return new Promise(() => {})
  },
  fails() {
    throw new GraphQLError('it is closed', { extensions: { code: 'CLOSED' } })
  },
  refuses() {
    throw badRequest('not-found', 'no such thing')
  },
  wrong: () => null,
  region: ({ of }: { of: string }) => `region of ${of}`,
  rename({ id, name }: { id: number; name: string }) {
    names.set(id, name)
    return person(id)
  },
  async *ticks({ to }: { to: number }, { session }: LocalCall) {
    for (let n = 1; n <= to; n++) yield { ticks: { n, by: session.role } }
  },
  async *broken() {
    yield { broken: 1 }
    throw new Error('the source is gone')
  },
  silent: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
}

const schema = buildSchema(types)

const pluginOf = (...schemas: LocalSchema[]) =>
  definePlugin({
    name: 'staff-plugin',
    dependencies: ['remote-schemas'],
    register(engine) {
      for (const each of schemas) engine.use(remoteSchemas).add(each)
    },
  })

const staff = pluginOf({ name: 'staff', schema, rootValue })

const entry = { name: 'staff', definition: { plugin: 'staff' } }

/** The schema with a field that asks another server, and an action. */
const staffWith = (url: string) =>
  definePlugin({
    name: 'staff-plugin',
    dependencies: ['remote-schemas', 'actions'],
    register(engine) {
      const fetched = async () => {
        const { body } = await engine.outgoing.send({ method: 'GET', url, timeout: 5000 })
        return String(body)
      }
      engine.use(remoteSchemas).add({ name: 'staff', schema, rootValue: { ...rootValue, fetched } })
      engine.use(actionHandlers).handle('hire', () => [{ id: 1 }, { id: 2 }])
    },
  })

test('the schema of a plugin is served as a remote schema', async (t) => {
  const traced = await startOther(t, ({ headers }) => ({ body: String(headers.traceparent).split('-')[1] }))
  const settings = { enableRemoteSchemaPermissions: true }
  const trellis = await startLibrary(t, { plugins: [staffWith(traced.url)], settings })
  const exported = await trellis.op<{ remote_schemas: object[] }>('export_metadata', {})
  assert.deepEqual(exported.remote_schemas, [entry])

  await t.test('queries run beside those of tables, and answer alone byte for byte', async () => {
    const text = 'query ($id: Int!) { who: person(id: $id) { __typename name boss { name } ... on Named { name } } }'
    const who = { __typename: 'Person', name: 'person 2', boss: { name: 'person 1' } }
    assert.deepEqual(await trellis.graphql(text, { id: 2 }), { data: { who } })
    const both = '{ book(limit: 1, order_by: {id: asc}) { title } named { name ... on Ship { size } } }'
    const { text: answer } = await trellis.request('/v1/graphql', { body: { query: both } })
    const named = '[{"name":"person 1"},{"name":"Argo","size":1180591620717411303424}]'
    assert.equal(answer, `{"data":{"book":[{"title":"Dawn"}],"named":${named}}}`)
  })

  await t.test('integers beyond doubles keep their digits, as texts do', async () => {
    const variables = { v: JSON.rawJSON('12345678901234567890') }
    const query = 'query ($v: BigInt) { big(value: $v) text: big }'
    const { text: answer } = await trellis.request('/v1/graphql', { body: { query, variables } })
    assert.equal(answer, '{"data":{"big":12345678901234567891,"text":"12345678901234567890.10"}}')
  })

  await t.test('resolvers learn the session and the headers of the client', async () => {
    const headers = { 'x-service-role': 'clerk', 'x-service-user-id': '7', 'x-agent': 'Ada' }
    const permission = {
      schema: 'type Query { caller: Caller } type Caller { role: String! user: String agent: String }',
    }
    await trellis.op('add_remote_schema_permissions', { remote_schema: 'staff', role: 'clerk', definition: permission })
    const answer = await trellis.graphql('{ caller { role user agent } }', {}, { headers })
    assert.deepEqual(answer, { data: { caller: { role: 'clerk', user: '7', agent: 'Ada' } } })
  })

  await t.test('roles see their part, with presets', async () => {
    const given =
      'type Query { person(id: Int! @preset(value: "x-service-user-id")): Person } type Person { name: String! }'
    const permission = { remote_schema: 'staff', role: 'self', definition: { schema: given } }
    await trellis.op('add_remote_schema_permissions', permission)
    const headers = { 'x-service-role': 'self', 'x-service-user-id': '4' }
    assert.deepEqual(await trellis.graphql('{ person { name } }', {}, { headers }), {
      data: { person: { name: 'person 4' } },
    })
    const hidden = await trellis.graphql<{ errors: { message: string }[] }>('{ person { salary } }', {}, { headers })
    assert.match(hidden.errors[0]!.message, /^field "salary" not found in type: 'Person'/)
    await trellis
      .op('add_remote_schema_permissions', {
        ...permission,
        role: 'odd',
        definition: { schema: 'type Query { x: Int }' },
      })
      .then(
        () => assert.fail('the permission names a missing field'),
        () => {},
      )
  })

  await t.test('rows are joined to it, with one operation for all rows', async () => {
    const remote_field = { person: { arguments: { id: '$id' } } }
    const relationship = { table: 'book', name: 'author', service_fields: ['id'], remote_schema: 'staff', remote_field }
    await trellis.op('create_remote_relationship', relationship)
    const answer = await trellis.graphql('{ book(order_by: {id: asc}) { author { name salary } } }')
    const book = [1, 2, 3].map((id) => ({ author: { name: `person ${id}`, salary: id * 1.5 } }))
    assert.deepEqual(answer, { data: { book } })
    await trellis.op('delete_remote_relationship', { table: 'book', name: 'author' })
  })

  await t.test('mutations run in the order of the request', async () => {
    const text = 'mutation { a: rename(id: 5, name: "Eve") { name } b: rename(id: 5, name: "Una") { name } }'
    assert.deepEqual(await trellis.graphql(text), { data: { a: { name: 'Eve' }, b: { name: 'Una' } } })
  })

  await t.test('names are customized', async () => {
    const customization = { root_fields_namespace: 'hr', type_names: { prefix: 'hr_' } }
    await trellis.op('update_remote_schema', { ...entry, definition: { plugin: 'staff', customization } })
    const answer = await trellis.graphql('{ hr { person(id: 1) { __typename name } } }')
    assert.deepEqual(answer, { data: { hr: { person: { __typename: 'hr_Person', name: 'person 1' } } } })
    await trellis.op('update_remote_schema', entry)
  })

  await t.test('its introspection is answered, and its reload changes nothing', async () => {
    const { data } = await trellis.op<{ data: { __schema: { types: { name: string }[] } } }>(
      'introspect_remote_schema',
      { name: 'staff' },
    )
    assert.ok(data.__schema.types.some(({ name }) => name === 'Person'))
    assert.deepEqual(await trellis.op('reload_remote_schema', { name: 'staff' }), { message: 'success' })
    assert.deepEqual(await trellis.op('reload_metadata', { reload_remote_schemas: true }), { message: 'success' })
  })

  await t.test('resolvers that throw fail at their fields', async () => {
    const closed = { message: 'it is closed', path: ['fails'], extensions: { code: 'CLOSED' } }
    const one = await trellis.graphql<{ data: unknown; errors: { locations?: unknown }[] }>('{ fails }')
    assert.deepEqual(
      { ...one, errors: one.errors.map(({ locations: _, ...rest }) => rest) },
      { data: { fails: null }, errors: [closed] },
    )
    const two = await trellis.graphql<{ data: unknown; errors: { message: string; path: string[] }[] }>(
      '{ fails refuses person(id: 1) { name } book(limit: 1, order_by: {id: asc}) { id } }',
    )
    assert.deepEqual(two.data, { fails: null, refuses: null, person: { name: 'person 1' }, book: [{ id: 1 }] })
    assert.deepEqual(
      two.errors.map(({ message, path }) => [message, path]),
      [
        ['no such thing', undefined],
        ['it is closed', ['fails']],
      ],
    )
    const three = await trellis.graphql<{ data: unknown; errors: { message: string }[] }>('{ wrong book { id } }')
    assert.match(three.errors[0]!.message, /^Cannot return null for non-nullable field Query.wrong/)
  })

  await t.test('a resolver that hangs fails alone after the timeout, and its signal is aborted', async () => {
    await trellis.op('update_remote_schema', { ...entry, definition: { plugin: 'staff', timeout_seconds: 1 } })
    const late = trellis.graphql('{ hangs }')
    assert.deepEqual(await trellis.graphql('{ person(id: 1) { name } }'), { data: { person: { name: 'person 1' } } })
    const { errors } = (await late) as { errors: { message: string; path: string[]; extensions: object }[] }
    assert.equal(errors[0]!.message, 'ResponseTimeout')
    assert.equal(hanging.at(-1)?.aborted, true)
    await trellis.op('update_remote_schema', entry)
  })

  await t.test('subscriptions are served over both transports, and end with their source', async () => {
    const text = 'subscription { ticks(to: 3) { n by } }'
    const events = [...[1, 2, 3].map((n) => ({ data: { ticks: { n, by: 'admin' } } })), 'complete']
    for (const client of [graphqlWsClient(t, trellis.url), graphqlSseClient(t, trellis.url)]) {
      assert.deepEqual(await subscribeWith(client, text).atLeast(4), events)
    }
    const broken = subscribeWith(graphqlWsClient(t, trellis.url), 'subscription { broken }')
    const [first, second] = await broken.atLeast(2)
    assert.deepEqual(first, { data: { broken: 1 } })
    const failure = { message: 'internal error', extensions: { path: '$.selectionSet.broken', code: 'unexpected' } }
    assert.deepEqual(second, { error: [failure] })
    const silent = subscribeWith(graphqlWsClient(t, trellis.url), 'subscription { silent }')
    assert.deepEqual(silent.items, [])
  })

  await t.test('fields of tables take precedence, and other remote schemas follow', async () => {
    const refused = await trellis.opError('add_remote_schema', { name: 'again', definition: { plugin: 'staff' } })
    assert.equal((refused.body as { code: string }).code, 'unexpected')
    const customization = { root_fields_namespace: 'twin', type_names: { prefix: 'twin_' } }
    await trellis.op('add_remote_schema', { name: 'twin', definition: { plugin: 'staff', customization } })
    const answer = await trellis.graphql('{ twin { person(id: 3) { __typename } } person(id: 3) { __typename } }')
    assert.deepEqual(answer, {
      data: { twin: { person: { __typename: 'twin_Person' } }, person: { __typename: 'Person' } },
    })
    await trellis.op('remove_remote_schema', { name: 'twin' })
  })

  await t.test('explain refuses its fields, as those of any remote schema', async () => {
    const explain = (query: string) => trellis.request('/v1/graphql/explain', { body: { query } })
    const { status, body } = await explain('{ person(id: 1) { name } }')
    const error = { path: '$', error: 'only database queries can be explained', code: 'invalid-params' }
    assert.deepEqual([status, body], [400, error])
  })

  await t.test('limits hold, and the signal of a resolver aborts at the end of the time', async () => {
    const schema = 'type Query { hangs: Int  person(id: Int!): Person } type Person { name: String!  boss: Person }'
    await trellis.op('add_remote_schema_permissions', { remote_schema: 'staff', role: 'guest', definition: { schema } })
    await trellis.op('set_api_limits', { depth_limit: { global: 2 }, time_limit: { global: 1 } })
    const headers = { 'x-service-role': 'guest' }
    const codes = async (query: string) => {
      const { errors } = await trellis.graphql<{ errors?: { extensions: { code: string } }[] }>(query, {}, { headers })
      return errors?.map(({ extensions }) => extensions.code)
    }
    assert.equal(await codes('{ person(id: 3) { boss { name } } }'), undefined)
    assert.deepEqual(await codes('{ person(id: 3) { boss { boss { name } } } }'), ['depth-limit-exceeded'])
    assert.deepEqual(await codes('{ hangs }'), ['time-limit-exceeded'])
    assert.equal(hanging.at(-1)?.aborted, true)
    await trellis.op('remove_api_limits', {})
  })

  await t.test('requests of resolvers continue the trace of the client', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
    const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01` }
    assert.deepEqual(await trellis.graphql('{ fetched }', {}, { headers }), { data: { fetched: trace } })
  })

  await t.test('objects of actions are joined to it', async () => {
    const person = { name: 'person', remote_schema: 'staff', service_fields: ['id'] }
    const relationships = [{ ...person, remote_field: { person: { arguments: { id: '$id' } } } }]
    const hired = { name: 'Hired', fields: [{ name: 'id', type: 'Int!' }], relationships }
    await trellis.op('set_custom_types', { objects: [hired] })
    await trellis.op('create_action', { name: 'hire', definition: { kind: 'synchronous', output_type: '[Hired!]' } })
    const answer = await trellis.graphql('mutation { hire { id person { name boss { name } } } }')
    const boss = { name: 'person 1' }
    assert.deepEqual(answer, {
      data: { hire: [1, 2].map((id) => ({ id, person: { name: `person ${id}`, boss: id === 1 ? null : boss } })) },
    })
    await trellis.op('drop_action', { name: 'hire' })
    await trellis.op('set_custom_types', {})
  })

  await t.test('a hidden schema has no fields, and no relationships', async () => {
    await trellis.op('update_remote_schema', { ...entry, definition: { plugin: 'staff', hidden: true } })
    const { errors } = await trellis.graphql<{ errors: { message: string }[] }>('{ person(id: 1) { name } }')
    assert.match(errors[0]!.message, /^field "person" not found in type: 'query_root'/)
    const remote_field = { person: { arguments: { id: '$id' } } }
    const relationship = { table: 'book', name: 'author', service_fields: ['id'], remote_schema: 'staff', remote_field }
    const { body } = await trellis.opError('create_remote_relationship', relationship)
    assert.match(JSON.stringify(body), /remote schema with name \\"staff\\" is hidden/)
    await trellis.op('update_remote_schema', entry)
  })

  await t.test('its definition has no keys of other servers', async () => {
    for (const more of [
      { url: 'http://a.example' },
      { forward_client_headers: true },
      { headers: [{ name: 'a', value: 'b' }] },
    ]) {
      const definition = { plugin: 'staff', ...more }
      const { status, body } = await trellis.opError('update_remote_schema', { name: 'staff', definition })
      const error = `both \`plugin\` and \`${Object.keys(more)[0]}\` can't be present`
      assert.deepEqual([status, body], [400, { path: '$.definition', error, code: 'invalid-params' }])
    }
    const { body } = await trellis.opError('add_remote_schema', { name: 'none', definition: { plugin: 'none' } })
    assert.match(JSON.stringify(body), /no plugin provides the schema \\"none\\"/)
  })
})

test('without its plugin the schema is inconsistent, and served again with it', async (t) => {
  const database = await testDatabase(t)
  const first = await startTrellis(t, { database, plugins: [staff] })
  const definition = { plugin: 'staff', timeout_seconds: 5 }
  await first.op('update_remote_schema', { name: 'staff', definition })
  await first.engine.close()
  const without = await startTrellis(t, { database })
  const object = {
    ...{ type: 'remote_schema', definition: { name: 'staff', definition, comment: null } },
    reason: 'no plugin provides the schema "staff"',
  }
  assert.deepEqual(await without.op('get_inconsistent_metadata', {}), [object])
  const exported = await without.op<{ remote_schemas: object[] }>('export_metadata', {})
  assert.deepEqual(exported.remote_schemas, [{ name: 'staff', definition }])
  await without.engine.close()
  const again = await startTrellis(t, { database, plugins: [staff] })
  assert.deepEqual(await again.graphql('{ person(id: 1) { id } }'), { data: { person: { id: 1 } } })
  assert.deepEqual((await again.op<{ remote_schemas: object[] }>('export_metadata', {})).remote_schemas, [
    { name: 'staff', definition },
  ])
})

test('the log has the reason why a schema that conflicts with tables is not served', async (t) => {
  const database = await testDatabase(t)
  await startLibrary(t, { database })
  const observe = recordingObserver()
  const books = { name: 'books', schema: buildSchema('type Query { book: Int }') }
  const trellis = await startTrellis(t, { database, observe, plugins: [pluginOf(books)] })
  const reason = "Field cannot be overwritten by remote field 'book'"
  const detail = { message: "a plugin's schema is not served", info: { remote_schema: 'books', reason } }
  const entries = observe.entries.flatMap(({ type, detail }) =>
    JSON.stringify(detail).includes('books') ? [{ type, detail }] : [],
  )
  assert.deepEqual(entries, [{ type: 'metadata', detail }])
  assert.deepEqual(await trellis.graphql('{ book(limit: 1, order_by: {id: asc}) { id } }'), {
    data: { book: [{ id: 1 }] },
  })
})

test('an executor alone is asked for its types, and answers as another server does', async (t) => {
  const asked: string[] = []
  const executor: LocalSchema['executor'] = ({ document, variables, operationType, context }) => {
    asked.push(`${operationType} of ${(context as LocalCall).session.role}`)
    return execute({ schema, document, rootValue, variableValues: variables, contextValue: context })
  }
  const trellis = await startTrellis(t, { plugins: [pluginOf({ name: 'staff', executor })] })
  const text = '{ people(ids: [1, 99]) { name } caller { role } }'
  const data = { people: [{ name: 'person 1' }, null], caller: { role: 'clerk' } }
  assert.deepEqual(await trellis.graphql(text, {}, { headers: { 'x-service-role': 'clerk' } }), { data })
  assert.deepEqual(asked, ['query of admin', 'query of clerk'])
})

test('a subscription that begins after its client has gone is ended', async (t) => {
  const log: string[] = []
  const late: AsyncIterable<never> = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => {}),
      return: async () => {
        log.push('ended')
        return { done: true, value: undefined }
      },
    }),
  }
  const executor: LocalSchema['executor'] = ({ signal }) => {
    log.push('begun')
    return new Promise((resolve) => signal.addEventListener('abort', () => setImmediate(resolve, late)))
  }
  const types = buildSchema('type Query { a: Int } type Subscription { ticks: Int }')
  const trellis = await startTrellis(t, { plugins: [pluginOf({ name: 'late', schema: types, executor })] })
  const client = graphqlWsClient(t, trellis.url)
  subscribeWith(client, 'subscription { ticks }')
  await eventually(() => log.length === 1)
  await client.dispose()
  await eventually(() => log.length === 2)
  assert.deepEqual(log, ['begun', 'ended'])
})

test('executors that answer anything fail their own requests only', async (t) => {
  const answers: unknown[] = [undefined, null, 5, {}, { errors: 'none' }, []]
  const executor = () => {
    const answer = answers.shift()
    if (answer === undefined) throw new TypeError('no answer')
    return answer as never
  }
  const odd = { name: 'odd', schema: buildSchema('type Query { region: String  other: Int }'), executor }
  const trellis = await startTrellis(t, { plugins: [pluginOf(odd)] })
  for (let i = answers.length; i > 0; i--) {
    const { errors } = await trellis.graphql<{ errors?: object[]; data: unknown }>('{ region __typename }')
    assert.ok(errors && errors.length > 0, `answer ${i}`)
  }
})

test('schemas that cannot be served end the start with the name of the plugin', async (t) => {
  const refused: [LocalSchema, RegExp][] = [
    [{ name: 'a' }, /"a" needs a schema or an executor/],
    [{ name: '', schema }, /a remote schema needs a name/],
    [{ name: 'a', schema: {} as never }, /the schema of "a" is no GraphQLSchema/],
    [{ name: 'a', schema: new GraphQLSchema({}) }, /the schema of "a" is invalid: Query root type must be provided/],
  ]
  const database = await testDatabase(t)
  for (const [given, message] of refused) {
    await assert.rejects(startTrellis(t, { database, plugins: [pluginOf(given)] }), (error: Error) => {
      const text = `${error.message} ${(error.cause as Error | undefined)?.message ?? ''}`
      assert.match(text, message)
      assert.match(text, /staff-plugin/)
      return true
    })
  }
  await assert.rejects(
    startTrellis(t, { database, plugins: [pluginOf({ name: 'a', schema }, { name: 'a', schema })] }),
    /added twice/,
  )
})

test('the example of the documentation gives the answer on the page', async (t) => {
  const trellis = await startLibrary(t, { plugins: [people] })
  const text = '{ book(limit: 1, order_by: {id: asc}) { title }  me { name }  person(id: 2) { name } }'
  const data = { book: [{ title: 'Dawn' }], me: { name: 'Ada' }, person: { name: 'Bo' } }
  assert.deepEqual(await trellis.graphql(text, {}, { headers: { 'x-service-user-id': '1' } }), { data })
})
