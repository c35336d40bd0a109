import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { startLibrary } from '../support/library.ts'
import { startTrellis } from '../support/trellis.ts'
import { mcpClient } from './clients.ts'

const enabledApis = ['metadata', 'graphql', 'config', 'mcp']
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

function token(claims: object, key: string): string {
  const body = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(claims)}`
  return `${body}.${createHmac('sha256', key).update(body).digest('base64url')}`
}

const adminSecret = 'of the library'

const byTitle = `# The books of a title, with their publishers.
# Titles are not unique.
query ($title: String!, $most: Int = 10) {
  book(where: { title: { _eq: $title } }, order_by: { id: asc }, limit: $most) { id title publisher { name } }
}`

const rename = `mutation ($id: Int!, $title: String!) {
  update_book_by_pk(pk_columns: { id: $id }, _set: { title: $title }) { title }
}`

const described = `"""Books of a price.""" query ("""In euros.""" $pages: Int) {
  book(where: { pages: { _eq: $pages } }) { id }
}`

const queries = [
  { name: 'by title', query: byTitle },
  { name: 'prices', query: '{ book(order_by: { id: asc }) { price } }' },
  { name: 'two', query: 'query first { book(limit: 1) { id } } query second { book_by_pk(id: 2) { title } }' },
  { name: 'described', query: described },
  { name: 'rename', query: rename },
  { name: 'live', query: 'subscription { book { id } }' },
]

const pages = '{ book(order_by: { id: asc }) { id pages } }'

const select = (table: string, columns: readonly string[]) => ({
  type: 'create_select_permission',
  args: { table, role: 'reader', permission: { columns, filter: {}, allow_aggregations: true } },
})

const collection = (name: string, definition: object) => ({
  type: 'create_query_collection',
  args: { name, definition },
})

const slow = `create function slow() returns setof book stable language sql
  as $$ select book.* from book, pg_sleep(60) $$`

const metadata = [
  { type: 'run_sql', args: { sql: slow } },
  { type: 'track_function', args: 'slow' },
  select('book', ['id', 'title', 'pages', 'publisher_id']),
  select('publisher', ['id', 'name']),
  {
    type: 'create_update_permission',
    args: { table: 'book', role: 'reader', permission: { columns: ['title'], filter: { id: { _eq: 1 } } } },
  },
  collection('books', { queries }),
  collection('editors', { queries: [{ name: 'names', query: '{ publisher { name } }' }] }),
  collection('unlisted', { queries: [{ name: 'pages', query: pages }] }),
  { type: 'add_collection_to_allowlist', args: { collection: 'books' } },
  { type: 'add_collection_to_allowlist', args: { collection: 'editors', scope: { global: false, roles: ['editor'] } } },
  {
    type: 'create_rest_endpoint',
    args: {
      ...{ name: 'pages', url: 'pages', methods: ['GET'], comment: 'The pages of all books.' },
      definition: { query: { collection_name: 'unlisted', query_name: 'pages' } },
    },
  },
]

/** The tools that are stored queries. */
const storedOf = (names: readonly string[]) =>
  names.filter((name) => !['run_query', 'describe_type', 'search_schema'].includes(name))

const offered = ['books_by_title', 'books_two_first', 'books_two_second', 'books_described', 'pages']

test('stored queries are tools of their roles', async (t) => {
  const limits = { mcpFreeQueries: true, mcpMaxRows: 2, mcpMaxDepth: 2, mcpMaxTime: 1 }
  const library = await startLibrary(t, { settings: { enabledApis, ...limits } })
  await library.op('bulk', metadata)
  const reader = await mcpClient(t, library.url)

  await t.test('a role has the tools that it may run', async () => {
    assert.deepEqual(storedOf(await reader.names()), offered)
    const { tools } = await reader.client.listTools()
    const [first] = tools
    assert.equal(
      first!.description,
      `The books of a title, with their publishers.\nTitles are not unique.\n\n${byTitle}`,
    )
    assert.deepEqual(first!.annotations, { readOnlyHint: true, destructiveHint: false })
    assert.deepEqual(first!.inputSchema, {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        title: { title: 'String', type: 'string' },
        most: { title: 'Int', type: ['integer', 'null'], default: 10 },
      },
      required: ['title'],
      additionalProperties: false,
    })
    const byName = new Map(tools.map((tool) => [tool.name, tool]))
    assert.match(byName.get('books_described')!.description!, /^Books of a price\.\n\n/)
    assert.deepEqual(byName.get('books_described')!.inputSchema.properties, {
      pages: { title: 'Int', type: ['integer', 'null'], description: 'In euros.' },
    })
    assert.match(byName.get('pages')!.description!, /^The pages of all books\.\n\n/)
  })

  await t.test('a tool answers with the JSON of its query', async () => {
    const dawn = { id: 1, title: 'Dawn', publisher: { name: 'Ark' } }
    const given = { title: 'Dawn' }
    assert.deepEqual(await reader.call('books_by_title', given), { isError: false, body: { data: { book: [dawn] } } })
    const second = { data: { book_by_pk: { title: 'Ebb' } } }
    assert.deepEqual(await reader.call('books_two_second'), { isError: false, body: second })
  })

  await t.test('errors have the code and the message of GraphQL', async () => {
    const { isError, body } = await reader.call('books_by_title', { title: 7 })
    assert.equal(isError, true)
    const variables = { title: 7 }
    const headers = { 'x-service-role': 'reader' }
    assert.deepEqual(body, await library.graphql(byTitle, variables, { headers }))
    const unknown = { code: -32_602, data: { code: 'not-exists' } }
    await assert.rejects(reader.call('books_prices'), { ...unknown, message: /there is no tool "books_prices"/ })
    await assert.rejects(reader.call('editors_names'), unknown)
    await assert.rejects(reader.call('books_rename', { id: 1, title: 'Dusk' }), unknown)
    await assert.rejects(reader.client.listTools({ cursor: 'x' }), unknown)
    await assert.rejects(reader.client.listResources(), /./)
  })

  await t.test('options offer mutations, and tools to administrators; sessions are those of GraphQL', async (t) => {
    const key = randomBytes(32).toString('hex')
    const settings = {
      ...{ enabledApis, adminSecret, mcpMutations: true, mcpAllowAdmin: true, mcpMaxAnswer: 1024 },
      ...{ jwtSecret: JSON.stringify({ type: 'HS256', key }), enableAllowlist: true, readSecret: 'for reading' },
    }
    const guarded = await startTrellis(t, { database: library.database, settings })
    const claims = { 'x-service-allowed-roles': ['reader', 'editor'], 'x-service-default-role': 'reader' }
    const authorization = `Bearer ${token({ 'https://hasura.io/jwt/claims': claims }, key)}`
    const byToken = await mcpClient(t, guarded.url, { authorization })

    // The endpoint's query is in no allowed collection, and the allow-list is in force here.
    assert.deepEqual(storedOf(await byToken.names()), [...offered.filter((name) => name !== 'pages'), 'books_rename'])
    const { tools } = await byToken.client.listTools()
    const renaming = tools.find(({ name }) => name === 'books_rename')
    assert.deepEqual(renaming!.annotations, { readOnlyHint: false, destructiveHint: true })
    const renamed = { data: { update_book_by_pk: { title: 'Dusk' } } }
    const changed = await byToken.call('books_rename', { id: 1, title: 'Dusk' })
    assert.deepEqual(changed, { isError: false, body: renamed })
    assert.deepEqual((await byToken.call('books_rename', { id: 2, title: 'Dusk' })).body, {
      data: { update_book_by_pk: null },
    })

    const byReadSecret = { 'x-service-admin-secret': 'for reading', 'x-service-role': 'reader' }
    assert.ok(!(await (await mcpClient(t, guarded.url, byReadSecret)).names()).includes('books_rename'))
    const byAdmin = await mcpClient(t, guarded.url, { 'x-service-admin-secret': adminSecret })
    assert.ok((await byAdmin.names()).includes('books_prices'))

    await library.sql(`insert into book (title, publisher_id) select 'Tide', 1 from generate_series(1, 100)`)
    const large = (await byToken.call('books_by_title', { title: 'Tide', most: 100 })).body
    const { message, extensions } = Object(large).errors[0]
    assert.match(message, /^the answer has \d+ bytes, the limit is 1024: ask for less$/)
    assert.deepEqual(extensions, { path: '$', code: 'answer-limit-exceeded' })
    await library.sql(`delete from book where title = 'Tide'`)

    await assert.rejects(mcpClient(t, guarded.url, {}), { code: 401 })
    await assert.rejects(mcpClient(t, guarded.url, { authorization: 'Bearer x' }), { code: 401 })
  })

  await t.test('free queries have limits on depth, rows, time and bytes', async () => {
    const run = async (query: string, variables?: object) =>
      Object((await reader.call('run_query', { query, variables })).body)
    const data = async (query: string, variables?: object) => (await run(query, variables)).data
    const refusal = async (query: string, variables?: object) => {
      const { message, extensions } = (await run(query, variables)).errors[0]
      return [extensions.code, message]
    }
    const two = [{ id: 1 }, { id: 2 }]
    assert.deepEqual(await data('{ book(order_by: { id: asc }) { id } }'), { book: two })
    assert.deepEqual(await data('query ($n: Int!) { book(order_by: { id: asc }, limit: $n) { id } }', { n: 1 }), {
      book: [{ id: 1 }],
    })
    const spread = 'query { publisher(limit: 1) { ...books } } fragment books on publisher { books { id } }'
    await library.sql("insert into book (title, publisher_id) values ('Gale', 1), ('Haze', 1)")
    assert.equal((await data(spread)).publisher[0].books.length, 2)
    assert.deepEqual(await data('{ book_aggregate { aggregate { count } } }'), {
      book_aggregate: { aggregate: { count: 5 } },
    })

    const above = ['row-limit-exceeded', 'the limit of book is above the highest, which is 2']
    assert.deepEqual(await refusal('{ book(limit: 3) { id } }'), above)
    assert.deepEqual(await refusal('query ($n: Int = 3) { book(limit: $n) { id } }'), above)
    assert.deepEqual(await refusal('query ($n: Int) { book(limit: $n) { id } }', { n: 3 }), above)
    const raw = `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run_query", "arguments":
      {"query": "query ($n: Int) { book(limit: $n) { id } }", "variables": {"n": 3e0}}}}`
    const headers = { 'x-service-role': 'reader', accept: 'application/json, text/event-stream' }
    const { text } = await library.request('/v1/mcp', { method: 'POST', body: raw, headers })
    assert.match(text, /row-limit-exceeded/)
    const twice = '{ a: publisher { ...b } c: publisher { ...b } } fragment b on publisher { books { id } }'
    assert.ok((await data(twice)).c.every(({ books }: { books: unknown[] }) => books.length <= 2))
    const levels = Array.from({ length: 30 }, (_, i) => `fragment f${i} on book { ...f${i + 1} ...f${i + 1} }`)
    const bomb = `{ book { ...f0 } } ${levels.join(' ')} fragment f30 on book { id }`
    assert.equal((await refusal(bomb))[0], 'validation-failed')
    const needed = ['row-limit-exceeded', 'book needs a limit here, of at most 2']
    assert.deepEqual(await refusal('query ($n: Int) { book(limit: $n) { id } }'), needed)
    const nodes = ['row-limit-exceeded', 'book_aggregate needs a limit here, of at most 2']
    assert.deepEqual(await refusal('{ book_aggregate { nodes { id } } }'), nodes)
    const deep = '{ publisher { books { publisher { books { id } } } } }'
    assert.deepEqual(await refusal(deep), ['depth-limit-exceeded', 'the query is 4 levels deep, the depth limit is 2'])
    const slow = ['time-limit-exceeded', 'the query took longer than the time limit of 1 s']
    assert.deepEqual(await refusal('{ slow { id } }'), slow)
    assert.deepEqual(await refusal('mutation { update_book_by_pk(pk_columns: { id: 1 }) { id } }'), [
      'not-supported',
      'a mutation is not run here, only queries',
    ])
    assert.equal((await refusal('{ book { price } }'))[0], 'validation-failed')
    assert.equal((await refusal('{'))[0], 'validation-failed')
    assert.equal((await refusal('query { ...a } fragment a on query_root { ...a }'))[0], 'validation-failed')
    assert.equal(Object((await reader.call('run_query', { query: 7 })).body).errors[0].extensions.code, 'parse-failed')
    await library.sql('delete from book where id > 3')
  })

  await t.test('a type is described as the role sees it', async () => {
    const describe = async (given: Record<string, unknown>) => {
      const { content, isError } = await reader.client.callTool({ name: 'describe_type', arguments: given })
      const [{ text }] = content as [{ text: string }]
      return isError ? JSON.parse(text).errors[0].extensions.code : text
    }
    const book = await describe({ name: 'book' })
    assert.ok(book.startsWith('"columns and relationships of \\"book\\""\ntype book {\n'), book)
    assert.match(book, /^ {2}title: String!$/m)
    assert.doesNotMatch(book, /price/)
    const roots = await describe({ name: 'query_root', containing: 'BOOK_by' })
    assert.match(roots, /book_by_pk\(.*id: Int!\): book$/m)
    assert.doesNotMatch(roots, /publisher/)
    assert.match(await describe({ name: 'order_by' }), /^enum order_by|\nenum order_by/)
    assert.equal(await describe({ name: 'mutation_type' }), 'not-exists')
    assert.equal(await describe({}), 'parse-failed')
    const search = async (given: Record<string, unknown>) => {
      const { content } = await reader.client.callTool({ name: 'search_schema', arguments: given })
      return (content as [{ text: string }])[0].text
    }
    const titles = (await search({ text: 'TITLE' })).split('\n')
    assert.ok(titles.includes('book.title: String!'), titles.join('\n'))
    assert.match(await search({ text: 'book', limit: 1 }), /^book: object # columns.*\n# \d+ more: /)
    assert.equal(await search({ text: 'price' }), '# nothing has this text in its name or description')
    assert.match(await search({ text: '' }), /parse-failed/)
    await library.op('set_graphql_schema_introspection_options', { disabled_for_roles: ['reader'] })
    assert.ok(!(await reader.names()).includes('describe_type'))
    await assert.rejects(describe({ name: 'book' }), { code: -32_602 })
    await library.op('set_graphql_schema_introspection_options', { disabled_for_roles: [] })
  })

  await t.test('the role admin has no tools', async () => {
    const refused = /the role admin gets no tools: name another role in x-service-role/
    await assert.rejects(mcpClient(t, library.url, {}), refused)
    await assert.rejects(mcpClient(t, library.url, { 'x-service-role': 'admin' }), refused)
  })
})
