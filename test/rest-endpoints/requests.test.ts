import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startShop } from '../actions/shop.ts'
import { startTrellis, type TestTrellis, type TrellisOptions } from '../support/trellis.ts'

const sql = `
  create table author (id int primary key, name text not null, born date, rating float8, tags jsonb);
  create table book (id uuid primary key default gen_random_uuid(), title text not null,
    author_id int references author, pages int, in_print bool default true);
  insert into author values (1, 'Ann', '1970-01-02', 4.5, '["a"]'), (2, 'Bob', '1980-03-04', 2, '[]'), (3, 'x/y', '1990-01-01', 1, '[]');
  insert into book (id, title, author_id, pages) values
    ('00000000-0000-0000-0000-000000000001', 'One', 1, 10), ('00000000-0000-0000-0000-000000000002', 'Two', 2, 20)`

const queries = {
  authors: 'query authors { author(order_by: {id: asc}) { id name } }',
  author: 'query ($id: Int!) { author_by_pk(id: $id) { name } }',
  named: 'query ($name: String!) { author(where: {name: {_eq: $name}}) { id } }',
  search: `query ($ids: [Int!] = [1, 2, 3, 4], $born: date = "1900-01-01", $rating: float8 = 0, $tags: jsonb = [], $min: Int = 0, $named: Boolean = false, $where: author_bool_exp = {}) {
    author(where: {_and: [{id: {_in: $ids}}, {born: {_gte: $born}}, {rating: {_gte: $rating}}, {tags: {_contains: $tags}}, {id: {_gte: $min}}, $where]}, order_by: {id: asc}) { id name @include(if: $named) }
  }`,
  book: 'query ($id: uuid!) { book_by_pk(id: $id) { title pages } }',
  insert:
    'mutation ($id: Int!, $name: String!, $tags: jsonb) { insert_author_one(object: {id: $id, name: $name, tags: $tags}) { id name tags } }',
  rename:
    'mutation ($id: Int!, $name: String!) { update_author_by_pk(pk_columns: {id: $id}, _set: {name: $name}) { name } }',
  watch: 'subscription { author { id } }',
  two: 'query a { author { id } } query b { book { id } }',
  none: 'fragment f on author { id }',
  circle: '{ author { ...f } } fragment f on author { id ...f }',
}

const endpoint = (name: keyof typeof queries, url: string, methods: readonly string[], id: string = name) => ({
  name: id,
  url,
  methods,
  definition: { query: { collection_name: 'stored', query_name: name } },
})

async function start(t: TestContext, options: TrellisOptions = {}): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql, ...options })
  for (const table of ['author', 'book']) await trellis.op('track_table', table)
  const permission = { columns: ['id', 'name'], filter: { id: { _eq: 'X-Service-User-Id' } } }
  await trellis.op('create_select_permission', { table: 'author', role: 'user', permission })
  const definition = { queries: Object.entries(queries).map(([name, query]) => ({ name, query })) }
  await trellis.op('create_query_collection', { name: 'stored', definition })
  return trellis
}

const create = (trellis: TestTrellis, ...endpoints: readonly object[]) =>
  trellis.op(
    'bulk',
    endpoints.map((args) => ({ type: 'create_rest_endpoint', args })),
  )

const refused = (status: number, code: string, error: string, path = '$') => [status, { path, error, code }]

test('endpoints run their queries', async (t) => {
  const trellis = await start(t, { settings: { corsDomain: ['https://app.example'] } })
  await create(
    trellis,
    endpoint('authors', 'authors', ['GET']),
    endpoint('author', 'authors/:id', ['GET']),
    endpoint('rename', 'authors/:id', ['PUT', 'PATCH']),
    endpoint('named', 'named/:name', ['GET', 'DELETE']),
    endpoint('search', 'search', ['GET', 'POST']),
    endpoint('book', 'v1/books/:id/page', ['GET']),
    endpoint('insert', 'authors', ['POST']),
    endpoint('insert', 'authors/new', ['POST'], 'insert-by-link'),
  )
  const call = async (path: string, request: Parameters<TestTrellis['request']>[1] = {}) => {
    const { status, body } = await trellis.request(`/api/rest/${path}`, request)
    return [status, body]
  }
  const post = (path: string, body: unknown) => call(path, { method: 'POST', body })

  await t.test('the answer is the content of data', async () => {
    const { status, body, headers } = await trellis.request('/api/rest/authors')
    assert.deepEqual(
      [status, body],
      [
        200,
        {
          author: [
            { id: 1, name: 'Ann' },
            { id: 2, name: 'Bob' },
            { id: 3, name: 'x/y' },
          ],
        },
      ],
    )
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(headers.get('cache-control'), 'no-store')
  })

  await t.test('variables come from the path, decoded once', async () => {
    assert.deepEqual(await call('authors/2'), [200, { author_by_pk: { name: 'Bob' } }])
    assert.deepEqual(await call('authors/9'), [200, { author_by_pk: null }])
    assert.deepEqual(await call('named/x%2Fy'), [200, { author: [{ id: 3 }] }])
    assert.deepEqual(await call('named/x%252Fy'), [200, { author: [] }])
    assert.deepEqual(await call('v1/books/00000000-0000-0000-0000-000000000001/page'), [
      200,
      { book_by_pk: { title: 'One', pages: 10 } },
    ])
  })

  await t.test('variables come from the query string, by their types', async () => {
    const cases: readonly (readonly [query: string, ids: readonly number[]])[] = [
      ['', [1, 2, 3]],
      ['ids=[1,3]', [1, 3]],
      ['ids=2', [2]],
      ['ids=1&ids=2', [1, 2]],
      ['min=2', [2, 3]],
      ['born=1975-01-01', [2, 3]],
      ['rating=2.5', [1]],
      ['tags=["a"]', [1]],
      ['tags=%5B%22a%22%5D', [1]],
    ]
    for (const [query, ids] of cases) {
      assert.deepEqual(await call(`search?${query}`), [200, { author: ids.map((id) => ({ id })) }], query)
    }
    assert.deepEqual(await call('search?named&ids=1'), [200, { author: [{ id: 1, name: 'Ann' }] }])
    assert.deepEqual(await call('search?named=false&ids=1'), [200, { author: [{ id: 1 }] }])
  })

  await t.test('variables come from the body; those of the URL hold first', async () => {
    assert.deepEqual(await post('search', { ids: [1], named: true }), [200, { author: [{ id: 1, name: 'Ann' }] }])
    assert.deepEqual(await post('search', { where: { name: { _eq: 'Bob' } } }), [200, { author: [{ id: 2 }] }])
    assert.deepEqual(await post('search?ids=2', { ids: [1] }), [200, { author: [{ id: 2 }] }])
    assert.deepEqual(await call('search', { method: 'POST' }), [200, { author: [{ id: 1 }, { id: 2 }, { id: 3 }] }])
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    assert.deepEqual(await call('search', { method: 'POST', headers: form, body: 'ids=1&ids=3&named' }), [
      200,
      {
        author: [
          { id: 1, name: 'Ann' },
          { id: 3, name: 'x/y' },
        ],
      },
    ])
  })

  await t.test('mutations run by the methods of their endpoints', async () => {
    assert.deepEqual(await post('authors', { id: 4, name: 'Dan', tags: { n: 1e2 } }), [
      200,
      { insert_author_one: { id: 4, name: 'Dan', tags: { n: 100 } } },
    ])
    assert.deepEqual(await call('authors/4', { method: 'PATCH', body: { name: 'Don' } }), [
      200,
      { update_author_by_pk: { name: 'Don' } },
    ])
    assert.deepEqual(await call('authors/4?name=Din', { method: 'PUT' }), [
      200,
      { update_author_by_pk: { name: 'Din' } },
    ])
    const [status, body] = await post('authors', { id: 4, name: 'Dan' })
    assert.equal(status, 400)
    assert.deepEqual(body, {
      path: '$.selectionSet.insert_author_one.args.object',
      error: 'Uniqueness violation. duplicate key value violates unique constraint "author_pkey"',
      code: 'constraint-violation',
    })
    assert.deepEqual(await post('authors?tags=null', { id: 5, name: 'E' }), [
      200,
      { insert_author_one: { id: 5, name: 'E', tags: null } },
    ])
    await trellis.sql('delete from author where id > 3')
  })

  await t.test('the role of the request decides', async () => {
    const headers = { 'x-service-role': 'user', 'x-service-user-id': '2' }
    assert.deepEqual(await call('authors', { headers }), [200, { author: [{ id: 2, name: 'Bob' }] }])
    assert.deepEqual(await call('authors/1', { headers }), [200, { author_by_pk: null }])
    assert.deepEqual(
      await call('v1/books/00000000-0000-0000-0000-000000000001/page', { headers }),
      refused(
        400,
        'validation-failed',
        `field "book_by_pk" not found in type: 'query_root'`,
        '$.selectionSet.book_by_pk',
      ),
    )
    assert.deepEqual(
      await call('authors', { headers, method: 'POST', body: { id: 5, name: 'x' } }),
      refused(400, 'validation-failed', 'no mutations exist'),
    )
  })

  await t.test('other paths, methods and values are refused', async () => {
    const notFound = refused(404, 'not-found', 'Endpoint not found')
    for (const path of ['nothing', 'authors/1/2', 'authors/', '', 'named/', 'authors//', '%ff']) {
      const [status, body] = await call(path)
      assert.equal(status, 404, path)
      if (path !== '%ff') assert.deepEqual(body, notFound[1], path)
    }
    const wrongMethod = await trellis.request('/api/rest/authors', { method: 'DELETE' })
    assert.deepEqual(
      [wrongMethod.status, wrongMethod.body],
      refused(405, 'method-not-allowed', 'Allowed methods: GET, POST'),
    )
    assert.equal(wrongMethod.headers.get('allow'), 'GET, POST')
    const bad = (error: string) => refused(400, 'bad-request', error)
    assert.deepEqual(await call('authors/x'), bad('Expected Int for variable id got String'))
    assert.deepEqual(await call('authors/true'), bad('Expected Int for variable id got Bool'))
    assert.deepEqual(await call('authors/null'), bad('Expected Int for variable id got Null'))
    assert.deepEqual(await call('search?named=1'), bad('Expected Boolean for variable named got Number'))
    assert.deepEqual(await call('search?tags={'), bad('Expected jsonb for variable tags got String'))
    assert.deepEqual(await call('search?other=1'), bad('Unexpected variable other'))
    assert.deepEqual(await call('search?__proto__=1'), bad('Unexpected variable __proto__'))
    assert.deepEqual(await call('search?min=1&min=2'), bad('Variable min is given several times'))
    assert.deepEqual(await post('search', { other: 1 }), bad('Unexpected variable other'))
    assert.deepEqual(
      await call('search?where={}'),
      bad('Type of URL parameter for variable where not supported - Consider putting it in the request body: {}'),
    )
    assert.deepEqual(
      await post('authors', { id: 1 }),
      refused(400, 'validation-failed', 'expecting a value for non-nullable variable: "name"'),
    )
    assert.deepEqual(
      await post('search', [1]),
      refused(400, 'parse-failed', 'parsing Object failed, expected Object, but encountered Array'),
    )
    assert.equal(
      (await call('search', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }))[0],
      400,
    )
    const text = await call('search', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' })
    assert.deepEqual(
      text,
      refused(
        415,
        'invalid-headers',
        'the Content-Type of a body has to be application/json or application/x-www-form-urlencoded',
      ),
    )
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const long = await call('search', { method: 'POST', headers: form, body: `min=${'1'.repeat(300_000)}` })
    assert.deepEqual(long, refused(413, 'bad-request', 'the form is too long; send JSON instead'))
    const wrongType = await call('v1/books/7/page')
    assert.equal(wrongType[0], 400)
  })

  await t.test('a plan serves all requests with the same shape of variables', async () => {
    await call('authors/1')
    const { made, reused } = trellis.engine.graphql.plans
    for (const id of [1, 2, 3]) await call(`authors/${id}`)
    const after = trellis.engine.graphql.plans
    assert.deepEqual([after.made, after.reused], [made, reused + 3])
  })

  await t.test('HEAD is answered as GET, and OPTIONS for other origins', async () => {
    const head = await fetch(`${trellis.url}/api/rest/authors`, { method: 'HEAD' })
    assert.deepEqual([head.status, await head.text()], [200, ''])
    const preflight = { origin: 'https://app.example', 'access-control-request-method': 'PUT' }
    const options = await fetch(`${trellis.url}/api/rest/authors`, { method: 'OPTIONS', headers: preflight })
    assert.equal(options.status, 204)
    assert.ok(options.headers.get('access-control-allow-methods')?.includes('PATCH'))
  })
})

test('GET runs no mutations, except in the dialect of the original', async (t) => {
  const trellis = await start(t)
  await create(trellis, endpoint('insert', 'insert', ['GET', 'POST']))
  const { status, body, headers } = await trellis.request('/api/rest/insert?id=7&name=x')
  assert.deepEqual([status, body], refused(405, 'method-not-allowed', 'mutations are not run by GET'))
  assert.equal(headers.get('allow'), 'POST')
  assert.equal((await trellis.request('/api/rest/insert', { method: 'POST', body: { id: 7, name: 'x' } })).status, 200)
  const other = await startTrellis(t, { database: trellis.database, settings: { dialect: 'hasura' } })
  const answer = await other.request('/api/rest/insert?id=8&name=x')
  assert.deepEqual([answer.status, answer.body], [200, { insert_author_one: { id: 8, name: 'x', tags: null } }])
})

test('requests need credentials, follow the allow-list, and have a line in the log', async (t) => {
  const lines: { type: string; detail: unknown }[] = []
  const observe = {
    isEnabled: () => true,
    log: (entry: { type: string; detail: unknown }) => void lines.push(entry),
  }
  const trellis = await start(t, {})
  await create(trellis, endpoint('authors', 'authors', ['GET']), endpoint('author', 'authors/:id', ['GET']))
  const secured = await startTrellis(t, {
    database: trellis.database,
    settings: { adminSecret: 'sesame', unauthorizedRole: 'user', enableAllowlist: true },
    observe: observe as never,
  })
  const headers = { 'x-service-admin-secret': 'sesame' }
  const wrong = await secured.request('/api/rest/authors', { headers: { 'x-service-admin-secret': 'x' } })
  assert.equal(wrong.status, 401)
  assert.equal((await secured.request('/api/rest/authors/1', { headers })).status, 200)
  const detail = lines.find(({ type }) => type === 'query-log')?.detail as { query: object; generated_sql: object }
  assert.deepEqual(
    { ...detail.query },
    { query: queries.author, variables: Object.assign(Object.create(null), { id: 1 }) },
  )
  assert.deepEqual(Object.keys(detail.generated_sql), ['author_by_pk'])
  const http = lines.filter(({ type }) => type === 'http-log').at(-1)?.detail as { http_info: { url: string } }
  assert.equal(http.http_info.url, '/api/rest/authors/1')
  const user = { ...headers, 'x-service-role': 'user', 'x-service-user-id': '1' }
  const refusal = await secured.request('/api/rest/authors', { headers: user })
  assert.deepEqual([refusal.status, Object(refusal.body).error], [400, 'query is not allowed'])
  await secured.op('add_collection_to_allowlist', { collection: 'stored' }, { headers })
  assert.deepEqual((await secured.request('/api/rest/authors', { headers: user })).body, {
    author: [{ id: 1, name: 'Ann' }],
  })
})

const conflict = (error: string, path = '$.args') => ({
  status: 400,
  body: { path, error, code: 'invalid-configuration' },
})

test('endpoints that cannot be served are refused, and change nothing', async (t) => {
  const trellis = await start(t, { settings: { devMode: true } })
  const get = ['GET']
  const without = async (args: unknown) => {
    const { status, body } = await trellis.opError('create_rest_endpoint', args)
    const { internal, ...rest } = body as { internal?: unknown }
    return { status, body: rest, internal }
  }
  const cases: readonly (readonly [args: unknown, error: object])[] = [
    [
      endpoint('authors', '', get),
      { status: 400, body: { path: '$.url', error: 'empty string not allowed', code: 'parse-failed' } },
    ],
    [endpoint('authors', 'a//b', get), conflict('Empty segments or unnamed variables are not allowed: a//b')],
    [endpoint('authors', 'a/', get), conflict('Empty segments or unnamed variables are not allowed: a/')],
    [endpoint('authors', 'a/:/b', get), conflict('Empty segments or unnamed variables are not allowed: a/:/b')],
    [endpoint('authors', 'a/:id/b/:id', get), conflict('Duplicate variables found in endpoint path: a/:id/b/:id')],
    [endpoint('watch', 'w', get, 'e'), conflict('in endpoint e: query with name watch is a subscription')],
    [endpoint('two', 'w', get, 'e'), conflict('in endpoint e: query with name two has multiple definitions')],
    [endpoint('none', 'w', get, 'e'), conflict('in endpoint e: query with name none has no definitions')],
    [
      endpoint('circle', 'w', get, 'e'),
      conflict('in endpoint e: query with name circle is invalid: the fragment definition(s) f form a cycle'),
    ],
    [
      { ...endpoint('authors', 'w', get, 'e'), definition: { query: { collection_name: 'x', query_name: 'y' } } },
      conflict('in endpoint e: query collection with name "x" does not exist'),
    ],
    [
      { ...endpoint('authors', 'w', get, 'e'), definition: { query: { collection_name: 'stored', query_name: 'y' } } },
      conflict('in endpoint e: query with name "y" does not exist in query collection "stored"'),
    ],
  ]
  for (const [args, error] of cases) {
    const { internal: _, ...answer } = await without(args)
    assert.deepEqual(answer, error)
  }
  const shapes: readonly unknown[] = [
    null,
    {},
    { ...endpoint('authors', 'a', get), methods: [] },
    { ...endpoint('authors', 'a', get), methods: ['get'] },
    { ...endpoint('authors', 'a', get), methods: 'GET' },
    { ...endpoint('authors', 'a', get), name: '' },
    { ...endpoint('authors', 'a', get), url: 1 },
    { ...endpoint('authors', 'a', get), definition: {} },
    { ...endpoint('authors', 'a', get), definition: { query: { collection_name: 'stored' } } },
    { ...endpoint('authors', 'a', get), comment: 1 },
  ]
  for (const args of shapes) {
    const { status, body } = await without(args)
    assert.deepEqual([status, Object(body).code], [400, 'parse-failed'], JSON.stringify(args))
  }
  assert.equal((await trellis.op<{ rest_endpoints?: unknown }>('export_metadata', {})).rest_endpoints, undefined)
  await create(trellis, endpoint('author', 'a/:id', get, 'one'), endpoint('authors', 'a/all', ['POST'], 'all'))
  assert.deepEqual(await without(endpoint('authors', 'x', get, 'one')), {
    status: 400,
    body: { path: '$.args', error: 'Endpoint with name: one already exists', code: 'already-exists' },
    internal: undefined,
  })
  const other = endpoint('authors', ':x/all', ['PUT', 'GET'], 'other')
  const reason = 'Ambiguous URL paths: :x/all, a/:id'
  assert.deepEqual(await without(other), {
    ...conflict(reason),
    internal: [{ reason, conflicts: [endpoint('author', 'a/:id', get, 'one'), other] }],
  })
  assert.deepEqual(await trellis.opError('drop_rest_endpoint', { name: 'x' }), {
    status: 400,
    body: { path: '$.args', error: 'Endpoint with name: x does not exist', code: 'not-exists' },
  })
  const dropped = await trellis.opError('drop_query_from_collection', {
    collection_name: 'stored',
    query_name: 'author',
  })
  assert.deepEqual(
    [dropped.status, Object(dropped.body).error],
    [500, 'cannot continue due to newly found inconsistent metadata'],
  )
  assert.equal((await trellis.request('/api/rest/a/1')).status, 200)
  await trellis.op('drop_rest_endpoint', { name: 'one' })
  await trellis.op('drop_query_from_collection', { collection_name: 'stored', query_name: 'author' })
  assert.equal((await trellis.request('/api/rest/a/1')).status, 404)
})

test('documents keep endpoints; those that cannot be served are listed, and a server starts with them', async (t) => {
  const trellis = await start(t)
  for (const query_name of ['none', 'circle']) {
    await trellis.op('drop_query_from_collection', { collection_name: 'stored', query_name })
  }
  const before = await trellis.op<object>('export_metadata', {})
  const get = ['GET']
  const good = { ...endpoint('authors', 'good', get), comment: 'all of them' }
  const [one, two] = [endpoint('authors', 'x/:a', get, 'one'), endpoint('authors', ':b/y', get, 'two')]
  const watch = endpoint('watch', 'watch', get)
  const rest_endpoints = [good, one, two, watch]
  const args = { metadata: { ...before, rest_endpoints }, allow_inconsistent_metadata: true }
  const inconsistent_objects = [
    { type: 'rest_endpoint', definition: watch, reason: 'in endpoint watch: query with name watch is a subscription' },
    { reason: 'Ambiguous URL paths: :b/y, x/:a', conflicts: [one, two] },
  ]
  const refusal = await trellis.opError('replace_metadata', { ...before, rest_endpoints })
  assert.deepEqual([refusal.status, Object(refusal.body).error], [400, 'cannot continue due to inconsistent metadata'])
  await trellis.op('replace_metadata', args, { version: 2 })
  assert.deepEqual(await trellis.op('export_metadata', {}), { ...before, rest_endpoints })
  const again = await startTrellis(t, { database: trellis.database })
  assert.deepEqual(await again.op('get_inconsistent_metadata', {}), inconsistent_objects)
  assert.deepEqual(await again.op('export_metadata', {}), { ...before, rest_endpoints })
  assert.equal((await again.request('/api/rest/good')).status, 200)
  assert.equal((await again.request('/api/rest/watch')).status, 404)
  assert.deepEqual((await again.request('/api/rest/x/y')).body, {
    path: '$',
    error: 'Multiple endpoints match request',
    code: 'unexpected',
  })
  await again.op('drop_inconsistent_metadata', {})
  assert.deepEqual(await again.op('export_metadata', {}), { ...before, rest_endpoints: [good] })
  const doubled = await again.opError('replace_metadata', { ...before, rest_endpoints: [good, good] })
  assert.equal(Object(doubled.body).error, 'multiple declarations exist for the following rest endpoints : "authors"')
  const odd = await again.opError('replace_metadata', { ...before, rest_endpoints: [{ ...good, odd: 1 }] })
  assert.deepEqual(Object(odd.body).path, '$.rest_endpoints[0].odd')
})

test('answers and errors of actions are those of the endpoint', async (t) => {
  const shop = await startShop(t, ({ path, body }) => {
    const { input } = JSON.parse(body)
    if (input.id === 13) return { status: 409, body: { message: 'sold out', code: 'sold-out' } }
    return { body: { id: path === '/wrong' ? 'x' : input.id, book_id: 1 }, headers: { 'set-cookie': 'a=1' } }
  })
  await shop.action('order', { arguments: [{ name: 'id', type: 'Int!' }] })
  const query = 'mutation ($id: Int!) { order(id: $id) { id book { title } } }'
  await shop.op('create_query_collection', { name: 'stored', definition: { queries: [{ name: 'order', query }] } })
  const definition = { query: { collection_name: 'stored', query_name: 'order' } }
  await shop.op('create_rest_endpoint', { name: 'order', url: 'orders/:id', methods: ['POST'], definition })
  const right = await shop.request<{ order: { id: number; book: object } }>('/api/rest/orders/7', { method: 'POST' })
  assert.deepEqual([right.status, right.body.order.id], [200, 7])
  assert.ok(right.body.order.book)
  assert.equal(right.headers.get('set-cookie'), 'a=1')
  const wrong = await shop.request<Record<string, unknown>>('/api/rest/orders/13', { method: 'POST' })
  assert.deepEqual([wrong.status, wrong.body['error'], wrong.body['code']], [409, 'sold out', 'sold-out'])
})
