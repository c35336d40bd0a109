// Remote schemas of servers that others have made: through Trellis they answer what they answer themselves.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { before, type TestContext, test } from 'node:test'
import { buildClientSchema, getIntrospectionQuery, printType } from 'graphql'
import { startLibrary } from '../support/library.ts'
import { installClients } from './install.ts'

before(installClients)

/** Starts a server of a make, which ends with the test. */
async function startServer(t: TestContext, make: string): Promise<string> {
  const directory = import.meta.dirname
  const args = [join(directory, 'programs', 'remote-server.ts'), make]
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
      // Beside a field of the database nothing is handed on as it came.
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
