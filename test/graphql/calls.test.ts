import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  answered,
  badRequest,
  type CallGroup,
  definePlugin,
  graphql,
  type ResolvedPlanner,
  type RootFields,
} from '../../sdk/index.ts'
import { startLibrary } from '../support/library.ts'
import type { TestTrellis } from '../support/trellis.ts'
import { type RemoteOptions, remotePlugin, startRemote } from './remote.ts'

const { GraphQLInt, GraphQLList, GraphQLNonNull, GraphQLString } = graphql

const shop = `
  type Query { product(id: Int!, currency: Currency = EUR): Product  products(ids: [Int!]!): [Product!]! }
  type Mutation { buy(id: Int!): Product  sell(id: Int!): Product }
  enum Currency { EUR USD }
  type Product { id: Int!  name: String!  price(in: Currency): Float  parts: [Product] }
`

const productOf = (id: number) => ({
  id,
  name: `product ${id}`,
  price: (args: { in?: string }) => (args.in === 'USD' ? id * 2 : id),
  parts: () => (id > 10 ? [] : [productOf(id + 10), null]),
})

const resolvers = {
  product: ({ id }: { id: number }) => {
    if (id < 0) throw new Error(`no product ${id}`)
    return productOf(id)
  },
  products: ({ ids }: { ids: number[] }) => ids.map(productOf),
  buy: ({ id }: { id: number }) => productOf(id),
  sell: ({ id }: { id: number }) => productOf(id),
}

async function startShop(t: TestContext, options: Partial<RemoteOptions> = {}) {
  const remote = await startRemote(t, shop, resolvers)
  const plugin = remotePlugin({ name: 'shop', url: remote.url, text: shop, ...options })
  return { remote, trellis: await startLibrary(t, { plugins: [plugin] }) }
}

test("the fields of one server are fetched with one request, in the client's own text", async (t) => {
  const { remote, trellis } = await startShop(t)
  const query = `query Q($id: Int!, $other: Int!, $unused: Int!) {
    first: product(id: $id) { ...named price(in: USD) }
    book(where: { id: { _eq: $unused } }) { title }
    product(id: $other) { ...named parts { ... on Product { ...named } } }
  }
  fragment named on Product { __typename label: name }
  fragment never on Product { id }`
  assert.deepEqual(await trellis.graphql(query, { id: 1, other: 2, unused: 1 }), {
    data: {
      first: { __typename: 'Product', label: 'product 1', price: 2 },
      book: [{ title: 'Dawn' }],
      product: {
        __typename: 'Product',
        label: 'product 2',
        parts: [{ __typename: 'Product', label: 'product 12' }, null],
      },
    },
  })
  const [sent, ...more] = remote.received.map(({ body }) => JSON.parse(body))
  assert.deepEqual(more, [])
  assert.deepEqual(sent.variables, { id: 1, other: 2 })
  assert.match(sent.query, /^query \(\$id: Int!, \$other: Int!\) \{/)
  assert.doesNotMatch(sent.query, /book|never/)
})

test('an operation that one server answers is forwarded unchanged', async (t) => {
  const { trellis } = await startShop(t)
  const answer = await trellis.request('/v1/graphql', {
    body: { query: '{ b: product(id: -1) { id } a: product(id: 1) { id } }' },
  })
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.body, {
    errors: [{ message: 'no product -1', locations: [{ line: 2, column: 3 }], path: ['b'] }],
    data: { b: null, a: { id: 1 } },
  })
  assert.equal(answer.headers.get('set-cookie'), 'seen=1')
})

test('fields of a mutation run in the order of the request; calls of no group before the database', async (t) => {
  const together: string[] = []
  const counting = definePlugin({
    name: 'counting',
    dependencies: ['tables'],
    register({ database, graphql: { contribute } }) {
      const count = async () => (await database.rows<{ n: number }>('select count(*)::int as n from book'))[0]!.n
      const group: CallGroup = {
        async run(calls) {
          together.push(calls.map(({ field }) => field.responseName).join())
          const n = await count()
          return calls.map(() => n)
        },
      }
      const field = (root: ResolvedPlanner) => () => ({ type: GraphQLInt, extensions: { root } })
      const fields: RootFields = new Map([
        ['theirs', field({ kind: 'resolved', group })],
        ['early', field({ kind: 'resolved', resolve: count })],
      ])
      contribute({ name: 'counting', mutation: () => fields })
    },
  })
  const trellis = await startLibrary(t, { plugins: [counting] })
  const deleted = (id: number) => `delete_book(where: {id: {_eq: ${id}}}) { affected_rows }`
  assert.deepEqual(
    await trellis.graphql(`mutation {
      a: theirs __typename b: theirs  x: ${deleted(1)}  c: theirs  y: ${deleted(2)}  z: ${deleted(3)}  early  d: theirs
    }`),
    {
      data: {
        ...{ a: 3, __typename: 'mutation_root', b: 3, x: { affected_rows: 1 }, c: 2, y: { affected_rows: 1 } },
        ...{ z: { affected_rows: 1 }, early: 3, d: 0 },
      },
    },
  )
  assert.deepEqual(together, ['a,b', 'c', 'd'])
  const wrong = 'insert_book_one(object: {title: "Gale", publisher_id: 99}) { id }'
  const added = 'insert_book_one(object: {title: "Gale", publisher_id: 1}) { id }'
  await trellis.graphql(`mutation { a: ${added} theirs b: ${added} c: ${wrong} }`)
  assert.deepEqual(await trellis.graphql('{ book_aggregate { aggregate { count } } }'), {
    data: { book_aggregate: { aggregate: { count: 1 } } },
  })
})

test('headers of calls are added to the response, except in a batch', async (t) => {
  const { trellis } = await startShop(t)
  const query = '{ product(id: 1) { id } __typename }'
  const answer = await trellis.request('/v1/graphql', { body: { query } })
  assert.deepEqual(answer.headers.getSetCookie(), ['seen=1'])
  const batch = await trellis.request('/v1/graphql', { body: [{ query }] })
  assert.deepEqual(batch.body, [{ data: { product: { id: 1 }, __typename: 'query_root' } }])
  assert.deepEqual(batch.headers.getSetCookie(), [])
})

test('errors of another server are listed with their paths next to the data', async (t) => {
  const { trellis } = await startShop(t)
  assert.deepEqual(await trellis.graphql('{ lost: product(id: -1) { id } book_by_pk(id: 1) { title } }'), {
    data: { lost: null, book_by_pk: { title: 'Dawn' } },
    errors: [
      {
        extensions: { path: '$.selectionSet.product', code: 'unexpected' },
        message: 'no product -1',
        locations: [{ line: 2, column: 3 }],
        path: ['lost'],
      },
    ],
  })
})

test('an unreachable server affects only its own fields', async (t) => {
  const { remote, trellis } = await startShop(t)
  await remote.stop()
  const error = (name: string) => ({
    extensions: { path: '$.selectionSet.product', code: 'unexpected' },
    message: 'internal error',
    path: [name],
  })
  assert.deepEqual(
    await trellis.graphql('{ a: product(id: 1) { id } book_by_pk(id: 1) { title } b: product(id: 2) { id } }'),
    {
      data: { a: null, book_by_pk: { title: 'Dawn' }, b: null },
      errors: [error('a'), error('b')],
    },
  )
})

test('errors may make data null as a whole', async (t) => {
  const { trellis } = await startShop(t, { endsAnswer: true })
  const text = await trellis.request('/v1/graphql', {
    body: { query: '{ product(id: -1) { id } book_by_pk(id: 1) { title } }' },
  })
  const errors = [{ message: 'no product -1', locations: [{ line: 2, column: 3 }], path: ['product'] }]
  assert.equal(text.status, 200)
  assert.equal(text.text.startsWith('{"data":null,"errors":['), true)
  assert.deepEqual(text.body, { data: null, errors })
})

/** A root field that returns its arguments. */
const shown = (plan?: ResolvedPlanner<string>['plan']) =>
  definePlugin({
    name: 'shown',
    dependencies: ['tables'],
    register(engine) {
      const kind = new graphql.GraphQLEnumType({ name: 'Kind', values: { BIG: {}, SMALL: {} } })
      const input = new graphql.GraphQLInputObjectType({
        name: 'Wish',
        fields: {
          name: { type: new GraphQLNonNull(GraphQLString) },
          count: { type: GraphQLInt, default: { value: 7 } },
          kinds: { type: new GraphQLList(kind) },
        },
      })
      const planner: ResolvedPlanner<string> = {
        kind: 'resolved',
        ...(plan && { plan }),
        resolve: ({ args, plan: planned, field, argumentsOf }) => {
          const below = field.fields().map((each) => [each.responseName, argumentsOf(each)])
          return { text: JSON.stringify({ args, below: Object.fromEntries(below), planned }) }
        },
      }
      const type = new graphql.GraphQLObjectType({
        name: 'Shown',
        fields: { text: { type: GraphQLString, args: { n: { type: GraphQLInt } } } },
      })
      const args = { wish: { type: input }, list: { type: new GraphQLList(kind) }, n: { type: GraphQLInt } }
      const fields: RootFields = new Map([['shown', () => ({ type, args, extensions: { root: planner } })]])
      engine.graphql.contribute({ name: 'shown', query: () => fields })
    },
  })

async function shownOf(trellis: TestTrellis, query: string, variables?: Record<string, unknown>) {
  const { data } = await trellis.graphql<{ data: { shown: { text: string } } }>(query, variables)
  return JSON.parse(data.shown.text)
}

test('arguments are bound at run time: one plan serves all values', async (t) => {
  let planned = 0
  const trellis = await startLibrary(t, { plugins: [shown((field) => `plan ${++planned} of ${field.name}`)] })
  const query = `query ($wish: Wish, $list: [Kind], $n: Int) { shown(wish: $wish, list: $list, n: 5) { text(n: $n) } }`
  const before = trellis.engine.graphql.plans.made
  for (let n = 1; n <= 5; n++) {
    assert.deepEqual(await shownOf(trellis, query, { wish: { name: `w${n}` }, list: n % 2 ? 'BIG' : 'SMALL', n }), {
      args: { wish: { name: `w${n}`, count: 7 }, list: [n % 2 ? 'BIG' : 'SMALL'], n: 5 },
      below: { text: { n } },
      planned: 'plan 1 of shown',
    })
  }
  assert.equal(trellis.engine.graphql.plans.made - before, 1)
  assert.equal(planned, 1)
})

test('an absent value is not an argument, but null is one', async (t) => {
  const trellis = await startLibrary(t, { plugins: [shown()] })
  const query = 'query ($n: Int, $w: Wish) { shown(n: $n, wish: $w) { text } }'
  assert.deepEqual((await shownOf(trellis, query)).args, {})
  assert.deepEqual((await shownOf(trellis, query, { n: null })).args, { n: null })
  assert.deepEqual((await shownOf(trellis, '{ shown(wish: { name: "a", kinds: BIG }) { text } }')).args, {
    wish: { name: 'a', kinds: ['BIG'], count: 7 },
  })
})

test('wrong arguments are refused each time, before anything runs', async (t) => {
  const trellis = await startLibrary(t, { plugins: [shown()] })
  const query = `query ($wish: Wish, $n: Int) { shown(wish: $wish) { text(n: $n) } }`
  const refusal = async (variables: object) => {
    const { status, body } = await trellis.request<{ errors: { message: string; extensions: object }[] }>(
      '/v1/graphql',
      {
        body: { query, variables },
      },
    )
    assert.equal(status, 200)
    return [body.errors[0]?.extensions, body.errors[0]?.message]
  }
  const kinds = '$.selectionSet.shown.args.wish.kinds[0]'
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(
      await shownOf(trellis, query, { wish: { name: 'a', kinds: ['BIG'] }, n: 1 }).then(({ args }) => args.wish.name),
      'a',
    )
    assert.deepEqual(await refusal({ wish: { name: 'a', kinds: ['HUGE'] }, n: 1 }), [
      { path: kinds, code: 'validation-failed' },
      'expected one of the values BIG or SMALL for type "Kind", but found "HUGE"',
    ])
    assert.deepEqual(await refusal({ wish: { name: 'a', kinds: ['BIG'] }, n: 2 ** 31 }), [
      { path: '$.selectionSet.shown.selectionSet.text.args.n', code: 'parse-failed' },
      'The value 2.147483648e9 lies outside the bounds or is not an integer.  Maybe it is a float, or is there integer overflow?',
    ])
  }
})

test('a cached plan serves any number of answers', async (t) => {
  const many = definePlugin({
    name: 'many',
    dependencies: ['tables'],
    register(engine) {
      const item = new graphql.GraphQLObjectType({ name: 'Item', fields: { n: { type: GraphQLInt } } })
      const root = {
        kind: 'resolved',
        resolve: () => Array.from({ length: 60_000 }, (_, n) => ({ n, hidden: 1 })),
      } as const
      const field = () => ({ type: new GraphQLList(item), extensions: { root } })
      engine.graphql.contribute({ name: 'many', query: () => new Map([['many', field]]) })
    },
  })
  const trellis = await startLibrary(t, { plugins: [many] })
  for (let round = 0; round < 3; round++) {
    const { data } = await trellis.graphql<{ data: { many: object[] } }>('{ many { n n2: n } }')
    assert.deepEqual([data.many.length, data.many.at(-1)], [60_000, { n: 59_999, n2: 59_999 }])
  }
})

test('several headers of one name, and several calls without a group', async (t) => {
  const cookies = definePlugin({
    name: 'cookies',
    dependencies: ['tables'],
    register(engine) {
      let waiting = 0
      let most = 0
      const root: ResolvedPlanner = {
        kind: 'resolved',
        async resolve({ field: { responseName } }) {
          most = Math.max(most, ++waiting)
          await new Promise((done) => setTimeout(done, 20))
          waiting--
          return answered(`${most}`, { headers: { 'set-cookie': [`${responseName}=1`, `${responseName}=2`] } })
        },
      }
      const field = () => ({ type: GraphQLString, extensions: { root } })
      engine.graphql.contribute({ name: 'cookies', query: () => new Map([['cookie', field]]) })
    },
  })
  const trellis = await startLibrary(t, { plugins: [cookies] })
  const { body, headers } = await trellis.request('/v1/graphql', { body: { query: '{ a: cookie b: cookie }' } })
  assert.deepEqual(body, { data: { a: '2', b: '2' } })
  assert.deepEqual(headers.getSetCookie(), ['a=1', 'a=2', 'b=1', 'b=2'])
})

test('a call is aborted when its client disconnects', async (t) => {
  const told: unknown[] = []
  let start: () => void = () => {}
  const started = new Promise<void>((done) => {
    start = done
  })
  const waiting = definePlugin({
    name: 'waiting',
    dependencies: ['tables'],
    register(engine) {
      const resolve: ResolvedPlanner['resolve'] = ({ signal }) => {
        start()
        return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(told.push(signal.reason))))
      }
      const field = () => ({ type: GraphQLString, extensions: { root: { kind: 'resolved', resolve } as const } })
      engine.graphql.contribute({ name: 'waiting', query: () => new Map([['wait', field]]) })
    },
  })
  const trellis = await startLibrary(t, { plugins: [waiting] })
  const controller = new AbortController()
  const body = JSON.stringify({ query: '{ wait }' })
  const asked = fetch(`${trellis.url}/v1/graphql`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body, signal: controller.signal },
  })
  await started
  controller.abort()
  await assert.rejects(asked)
  for (let i = 0; i < 100 && told.length === 0; i++) await new Promise((done) => setTimeout(done, 20))
  assert.equal(told.length, 1)
})

/** A mutation that writes in the operation's transaction and runs GraphQL within it. */
const noting = definePlugin({
  name: 'noting',
  dependencies: ['tables', 'graphql'],
  register(engine) {
    const root: ResolvedPlanner = {
      kind: 'resolved',
      inTransaction: true,
      explainRefusal: 'notes cannot be explained',
      async resolve({ args, transaction, session }) {
        await transaction!.rows('insert into publisher (name) values ($1)', [args['name']])
        if (args['name'] === 'bad') {
          const extensions = { why: 'bad', code: 'own' }
          throw badRequest('refused', 'no such note', { extensions })
        }
        const request = { query: '{ publisher_aggregate { aggregate { count } } }', variables: {}, operationName: null }
        const answer = await engine.graphql.execute(request, session, { headers: {}, transaction: transaction! })
        return JSON.parse(String(answer)).data.publisher_aggregate.aggregate.count
      },
    }
    const field = () => ({ type: GraphQLInt, args: { name: { type: GraphQLString } }, extensions: { root } })
    const fields: RootFields = new Map([['note', field]])
    engine.graphql.contribute({ name: 'noting', query: () => fields, mutation: () => fields })
  },
})

test('a call in the transaction of its mutation runs in order, sees earlier changes, and is rolled back with it', async (t) => {
  const trellis = await startLibrary(t, { plugins: [noting] })
  const add = (name: string) => `insert_publisher_one(object: {name: "${name}"}) { id }`
  assert.deepEqual(await trellis.graphql(`mutation { a: note(name: "x") b: ${add('y')} c: note(name: "z") }`), {
    data: { a: 4, b: { id: 5 }, c: 6 },
  })
  assert.deepEqual(await trellis.graphql(`mutation { ${add('w')} note(name: "bad") }`), {
    errors: [{ extensions: { path: '$', code: 'own', why: 'bad' }, message: 'no such note' }],
  })
  type Refused = { errors: { message: string }[] }
  const late = await trellis.graphql<Refused>(`mutation { note(name: "v") ${add('y')} }`)
  assert.match(late.errors[0]!.message, /^Uniqueness violation/)
  assert.deepEqual(await trellis.graphql('mutation { note(name: "u") }'), { data: { note: 7 } })
  const { status, body } = await trellis.request('/v1/graphql/explain', { body: { query: { query: '{ note }' } } })
  assert.deepEqual([status, body], [400, { path: '$', error: 'notes cannot be explained', code: 'invalid-params' }])
})
