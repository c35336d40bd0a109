import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, type TestContext, test } from 'node:test'
import { blocksOf } from '../guide/blocks.ts'
import { startLibrary } from '../support/library.ts'
import { installClients } from './install.ts'
import { runProgram, runTool } from './run.ts'

before(installClients)

/** The library with a role `reader` that sees titles only. */
async function startServer(t: TestContext): Promise<string> {
  const { op, url } = await startLibrary(t)
  const permission = { columns: ['id', 'title'], filter: {}, limit: 20 }
  await op('create_select_permission', { table: 'book', role: 'reader', permission })
  return url
}

test('graphql-request: variables, mutations, errors and batches', async (t) => {
  assert.deepEqual(await runProgram('graphql-request', await startServer(t)), {
    found: { book: [{ title: 'Dawn', publisher: { name: 'Ark' } }] },
    added: { insert_book_one: { title: 'Gale', price: 9.9 } },
    refused: {
      isClientError: true,
      status: 400,
      errors: [
        {
          extensions: { path: '$.selectionSet.book.selectionSet.price', code: 'validation-failed' },
          message: `field "price" not found in type: 'book'`,
        },
      ],
    },
    batch: { data: { publisher_by_pk: { name: 'Ark' } } },
  })
})

test('Apollo Client: a normalised cache that mutations update, errors and batches', async (t) => {
  const publisher = { __typename: 'publisher', id: 1, name: 'Ark' }
  assert.deepEqual(await runProgram('apollo', await startServer(t)), {
    found: { book: [{ __typename: 'book', id: 1, title: 'Dawn', publisher }] },
    cached: { __typename: 'book', title: 'Dusk' },
    refused: {
      isGraphQLError: true,
      errors: [
        {
          extensions: { path: '$.selectionSet.publisher', code: 'validation-failed' },
          message: `field "publisher" not found in type: 'query_root'`,
        },
      ],
    },
    batch: ['Ark', 'Bell'].map((name) => ({ publisher_by_pk: { __typename: 'publisher', name } })),
  })
})

test('urql: a cached query, a mutation, and errors that are not those of a network', async (t) => {
  assert.deepEqual(await runProgram('urql', await startServer(t)), {
    found: {
      book: [
        { __typename: 'book', id: 1, title: 'Dawn' },
        { __typename: 'book', id: 3, title: 'Fog' },
      ],
    },
    removed: { delete_book_by_pk: { __typename: 'book', title: 'Ebb' } },
    refused: {
      errors: [
        {
          message: 'unexpected negative value',
          extensions: { path: '$.selectionSet.book.args.limit', code: 'not-supported' },
        },
      ],
      isNetworkError: false,
    },
  })
})

test('graphql-codegen makes types for each role that programs compile with', async (t) => {
  const url = await startServer(t)
  await runTool('@graphql-codegen/cli/cjs/bin.js', ['--config', 'codegen.config.mjs'], { TRELLIS_URL: url })
  await runTool('../../../node_modules/typescript/bin/tsc', ['-p', 'tsconfig.json'])
  assert.deepEqual(await runProgram('typed', url), {
    prices: [12.5, null],
    counts: [2, 2],
    added: 'Dawn',
    titles: ['Fog'],
    hidden: [true, true],
  })
})

test("relay-compiler reads the Relay schema, and Relay's runtime pages and refetches", async (t) => {
  const url = await startServer(t)
  await runProgram('introspect', url)
  await runTool('relay-compiler/cli.js', ['relay.config.json', '--noWatchman'])
  assert.deepEqual(await runProgram('relay', url), {
    firstPage: 2,
    hasNextPage: true,
    allPages: 3,
    item: { title: 'Fog', publisher: 'Bell' },
    renamed: 'Morning',
  })
})

test('the audit of graphql-http: every MUST and SHOULD holds', async (t) => {
  const audits = (await runProgram('audit', await startServer(t))) as { name: string; status: string }[]
  assert.ok(audits.filter(({ name }) => /^(MUST|SHOULD)/.test(name)).length >= 30)
  const unmet = audits.filter(({ status }) => status !== 'ok').map(({ name }) => name)
  assert.deepEqual(
    unmet.filter((name) => !name.startsWith('MAY')),
    [],
  )
})

test('the settings on the page of clients are those of the programs here', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/clients.md'), 'utf8')
  const programs = ['programs/apollo.ts', 'programs/relay.ts', 'codegen.config.mjs']
  const texts = programs.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('\n')
  const blocks = blocksOf(page).map(({ lines }) => lines.join('\n'))
  const taken = blocks.filter((text) => texts.includes(text))
  assert.deepEqual(
    taken.map((text) => text.slice(0, 25)),
    ['const environment = new E', 'const typesOf = (role) =>'],
  )
  assert.ok(
    texts.includes('const client = new ApolloClient({ cache: new InMemoryCache(), link: new HttpLink({ uri }) })'),
  )
})
