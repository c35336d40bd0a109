// Remote schemas of servers by other makers: through Trellis they give the same answers as alone.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { before, type TestContext, test } from 'node:test'
import { buildClientSchema, getIntrospectionQuery, printType } from 'graphql'
import { startLibrary } from '../support/library.ts'
import { installClients } from './install.ts'

before(installClients)

/** Starts a server of a make over a schema. It ends with the test. */
async function startServer(t: TestContext, make: string, schema = 'people'): Promise<string> {
  const directory = import.meta.dirname
  const args = [join(directory, 'programs', 'remote-server.ts'), make, schema]
  const child = spawn(process.execPath, args, { cwd: directory, stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => child.stdin.end())
  for await (const line of child.stdout) return String(line).trim()
  throw new Error(`${make} did not start`)
}

async function ask(url: string, query: string, variables: object = {}) {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) })
  return (await response.json()) as {
    data?: Record<string, unknown> | null
    errors?: { message: string; path?: unknown }[]
  }
}

const requests: [query: string, variables?: object][] = [
  ['{ users { id name kind friends(first: 2) { name } } }'],
  [
    'query ($w: UserFilter!, $n: Int = 1) { a: users(where: $w, limit: $n) { ...u } } fragment u on User { n: name __typename }',
    { w: { names: ['2', '4'], kind: 'BAD' } },
  ],
  [
    '{ things(kinds: GOOD) { ... on User { id friends { id } } ... on Car { wheels } } all: things { kind: __typename ... on Named { name } } }',
  ],
  ['{ named { __typename name ... on Car { wheels } } old nobody: user(id: 0) { id } }'],
  [
    'query ($yes: Boolean!, $id: ID!) { user(id: $id) { id @skip(if: $yes) name @include(if: $yes) } }',
    { yes: true, id: 7 },
  ],
  ['{ users { id } failing }'],
  ['mutation { rename(id: "3", name: "new") { id name } }'],
]

for (const make of ['yoga', 'apollo5', 'apollo4', 'mercurius']) {
  test(`${make}: introspected, and answered as it answers itself`, async (t) => {
    const url = await startServer(t, make)
    const trellis = await startLibrary(t)
    await trellis.op('add_remote_schema', { name: 'other', definition: { url } })
    const shape = ({ data, errors }: Awaited<ReturnType<typeof ask>>) => ({
      data,
      errors: errors?.map(({ message, path }) => [message, path]),
    })
    for (const [query, variables] of requests) {
      const direct = shape(await ask(url, query, variables))
      assert.deepEqual(shape(await trellis.graphql(query, { ...variables })), direct)
      if (query.startsWith('mutation')) continue
      // Beside a field of the database, no answer is passed through.
      const beside = query.replace(/^(query \([^)]*\) )?\{/, '$1{ book_by_pk(id: 1) { title }')
      const given = shape(await trellis.graphql(beside, { ...variables }))
      assert.deepEqual(given, { data: { book_by_pk: { title: 'Dawn' }, ...direct.data }, errors: direct.errors })
    }
    const introspection = getIntrospectionQuery()
    const [own, theirs] = [await ask(`${trellis.url}/v1/graphql`, introspection), await ask(url, introspection)]
    const [here, there] = [own, theirs].map(({ data }) => buildClientSchema(data as never))
    for (const name of ['User', 'Car', 'Named', 'Thing', 'Kind', 'UserFilter']) {
      const sorted = (text: string) => text.split('\n').sort()
      const text = (schema: typeof here) => sorted(printType(schema!.getType(name)!).replace(/"[^"]*"\n\s*/g, ''))
      if (name !== 'Thing' && name !== 'Kind') assert.deepEqual(text(here), text(there), name)
      else assert.ok(here!.getType(name))
    }
  })
}

test('rows joined to users of another server equal the answers to single requests', async (t) => {
  const url = await startServer(t, 'yoga')
  const trellis = await startLibrary(t)
  await trellis.op('add_remote_schema', { name: 'other', definition: { url } })
  await trellis.sql(`insert into book (title, publisher_id) select 'b' || n, 1 from generate_series(1, 97) n`)
  await trellis.op('create_remote_relationship', {
    ...{ name: 'reader', table: 'book', service_fields: ['id'], remote_schema: 'other' },
    remote_field: { user: { arguments: { id: '$id' } } },
  })
  const { data } = await trellis.graphql<{ data: { book: { id: number; reader: unknown }[] } }>(
    '{ book { id reader { name kind } } }',
  )
  assert.equal(data.book.length, 100)
  for (const { id, reader } of data.book.slice(0, 10)) {
    assert.deepEqual({ user: reader }, (await ask(url, `{ user(id: ${id}) { name kind } }`)).data)
  }
})

test('Yoga, Apollo Server and another Trellis are stitched, and one type has fields of all', async (t) => {
  const [other, trellis] = [await startLibrary(t), await startLibrary(t)]
  const urls = { readers: startServer(t, 'yoga', 'readers'), stock: startServer(t, 'apollo5', 'stock') }
  const add = (name: string, definition: object) => trellis.op('add_remote_schema', { name, definition })
  await add('readers', { url: await urls.readers, hidden: true })
  await add('stock', { url: await urls.stock, hidden: true })
  await add('library', { url: `${other.url}/v1/graphql`, hidden: true })
  const bookBy = (field: string, argument: string) => ({ book: { key: 'id', field, argument } })
  const stitch = [
    { remote_schema: 'readers', merge: bookBy('readBooks', 'ids') },
    { remote_schema: 'stock', merge: bookBy('stock', 'id') },
    { remote_schema: 'library', merge: bookBy('book', 'where.id._in') },
  ]
  const customization = { type_names: { prefix: 'all_' }, root_fields_namespace: 'all' }
  await add('all', { stitch, customization })
  const askAll = (query: string) => ask(`${trellis.url}/v1/graphql`, query)

  const { data, errors } = await askAll(`{ all {
    popular { __typename title publisher { name } readers(first: 2) inStock }
    shelves { __typename ... on all_book { title weight } ... on all_Magazine { issue } }
    cheapest { title readers inStock }
    book(where: {id: {_lte: 2}}, order_by: {id: asc}) { title readers weight publisher { books { inStock } } }
  } }`)
  assert.deepEqual(
    errors?.map(({ message, path }) => [message, path]),
    [['the shelf is closed', ['all', 'popular', 0, 'inStock']]],
  )
  const book1 = { title: 'Dawn', publisher: { name: 'Ark' }, readers: ['reader 1.0', 'reader 1.1'], inStock: 10 }
  const book3 = { title: 'Fog', publisher: { name: 'Bell' }, readers: ['reader 3.0', 'reader 3.1'], inStock: null }
  const shelves = [
    { __typename: 'all_book', title: 'Ebb', weight: 0.5 },
    { __typename: 'all_Magazine', issue: 4 },
  ]
  const book = [
    { title: 'Dawn', readers: ['reader 1.0'], weight: 0.25, publisher: { books: [{ inStock: 10 }, { inStock: 20 }] } },
    { title: 'Ebb', readers: null, weight: 0.5, publisher: { books: [{ inStock: 10 }, { inStock: 20 }] } },
  ]
  assert.deepEqual(data, {
    all: {
      popular: [book3, book1].map((each) => ({ __typename: 'all_book', ...each })),
      shelves,
      cheapest: { title: 'Ebb', readers: null, inStock: 20 },
      book,
    },
  })

  const sold = await askAll('mutation { all { a: sell(id: 1) { inStock title } b: sell(id: 1) { inStock } } }')
  assert.deepEqual(sold, { data: { all: { a: { inStock: 9, title: 'Dawn' }, b: { inStock: 8 } } } })
})
