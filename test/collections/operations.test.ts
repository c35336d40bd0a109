import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const ok = { message: 'success' }
const refused = (code: string, error: string, path = '$.args') => ({ status: 400, body: { path, error, code } })

const one = { name: 'one', query: 'query one { person { id } }' }
const two = { name: 'two', query: '{ person { name } # all\n }' }
const collection = (name: string, queries: readonly object[] = [one, two]) => ({ name, definition: { queries } })

const parts = async (trellis: TestTrellis) => {
  const { query_collections, allowlist } = await trellis.op<Record<string, unknown>>('export_metadata', {})
  return { query_collections, allowlist }
}

test('collections are created, filled, emptied and dropped, and exported in order', async (t) => {
  const trellis = await startTrellis(t)
  assert.deepEqual(await trellis.op('create_query_collection', { ...collection('b'), comment: 'all' }), ok)
  await trellis.op('create_query_collection', collection('a', []))
  const second = { collection_name: 'a', query_name: 'two', query: two.query }
  assert.deepEqual(await trellis.op('add_query_to_collection', second), ok)
  await trellis.op('add_query_to_collection', { collection_name: 'a', query_name: 'one', query: one.query })
  assert.deepEqual(await trellis.op('add_collection_to_allowlist', { collection: 'b' }), ok)
  assert.deepEqual(await trellis.op('add_collection_to_allowlist', { collection: 'a' }), ok)
  assert.deepEqual(await trellis.op('add_collection_to_allowlist', { collection: 'a' }), ok)
  assert.deepEqual(await parts(trellis), {
    query_collections: [collection('a', [two, one]), { ...collection('b'), comment: 'all' }],
    allowlist: [{ collection: 'a' }, { collection: 'b' }],
  })
  assert.deepEqual(await trellis.op('drop_query_from_collection', { collection_name: 'a', query_name: 'two' }), ok)
  assert.deepEqual(await trellis.op('drop_collection_from_allowlist', { collection: 'b' }), ok)
  assert.deepEqual(await trellis.op('drop_collection_from_allowlist', { collection: 'b' }), ok)
  assert.deepEqual(await trellis.op('drop_query_collection', { collection: 'b', cascade: false }), ok)
  const rest = { query_collections: [collection('a', [one])], allowlist: [{ collection: 'a' }] }
  assert.deepEqual(await parts(trellis), rest)
  const restarted = await startTrellis(t, { database: trellis.database })
  assert.deepEqual(await parts(restarted), rest)
  assert.deepEqual(await trellis.op('drop_query_collection', { collection: 'a', cascade: true }), ok)
  assert.deepEqual(await parts(trellis), { query_collections: undefined, allowlist: undefined })
})

const missing = (name: string) => `query collection with name "${name}" does not exists`

const refusals: readonly (readonly [type: string, args: unknown, answer: object])[] = [
  [
    'create_query_collection',
    collection('a'),
    refused('already-exists', 'query collection with name "a" already exists', '$.args.name'),
  ],
  [
    'create_query_collection',
    collection('b', [one, two, { ...one, query: two.query }, two]),
    refused('not-supported', 'found duplicate query names "one", "two"', '$.args.definition.queries'),
  ],
  [
    'create_query_collection',
    collection('b', [one, { name: 'bad', query: '{' }]),
    refused('parse-failed', 'parsing the graphql query failed', '$.definition.queries[1].query'),
  ],
  [
    'create_query_collection',
    collection('b', [{ name: 'bad', query: 1 }]),
    refused('parse-failed', 'expecting String for GraphQL query', '$.definition.queries[0].query'),
  ],
  ['create_query_collection', { name: 'b' }, refused('parse-failed', `the key 'definition' was not present`, '$')],
  ['create_query_collection', collection(''), refused('parse-failed', 'empty string not allowed', '$.name')],
  [
    'drop_query_collection',
    { collection: 'x', cascade: true },
    refused('not-exists', missing('x'), '$.args.collection'),
  ],
  ['drop_query_collection', { collection: 'a' }, refused('parse-failed', `the key 'cascade' was not present`, '$')],
  [
    'drop_query_collection',
    { collection: 'a', cascade: false },
    refused(
      'dependency-error',
      'query collection with name "a" is present in allowlist; cannot proceed to drop',
      '$.args.collection',
    ),
  ],
  [
    'add_query_to_collection',
    { collection_name: 'x', query_name: 'q', query: '{a}' },
    refused('not-exists', missing('x')),
  ],
  [
    'add_query_to_collection',
    { collection_name: 'a', query_name: 'one', query: '{a}' },
    refused('already-exists', 'query with name "one" already exists in collection "a"'),
  ],
  [
    'add_query_to_collection',
    { collection_name: 'a', query_name: 'q', query: '' },
    refused('parse-failed', 'parsing the graphql query failed', '$.query'),
  ],
  ['drop_query_from_collection', { collection_name: 'x', query_name: 'q' }, refused('not-exists', missing('x'))],
  [
    'drop_query_from_collection',
    { collection_name: 'a', query_name: 'q' },
    refused('not-found', 'query with name "q" not found in collection "a"'),
  ],
  ['add_collection_to_allowlist', { collection: 'x' }, refused('not-exists', missing('x'), '$.args.collection')],
  [
    'update_scope_of_collection_in_allowlist',
    { collection: 'x', scope: { global: true } },
    refused('not-exists', missing('x'), '$.args.collection'),
  ],
  [
    'add_collection_to_allowlist',
    { collection: 'a', scope: { global: false, roles: [] } },
    refused('parse-failed', 'empty list not allowed', '$.scope.roles'),
  ],
  ['drop_collection_from_allowlist', { collection: 'x' }, refused('not-exists', missing('x'), '$.args.collection')],
]

test('an invalid change of collections is refused, and changes nothing', async (t) => {
  const trellis = await startTrellis(t)
  await trellis.op('create_query_collection', collection('a'))
  await trellis.op('add_collection_to_allowlist', { collection: 'a' })
  const before = await parts(trellis)
  for (const [type, args, answer] of refusals) assert.deepEqual(await trellis.opError(type, args), answer, type)
  for (const type of new Set(refusals.map(([type]) => type))) {
    const { body } = await trellis.opError(
      type,
      { ...collection('c'), collection: 'a', cascade: true },
      { role: 'guest' },
    )
    const complaint = body as { code: string }
    assert.ok(['access-denied', 'parse-failed'].includes(complaint.code), type)
  }
  assert.deepEqual(await parts(trellis), before)
})

test('documents hold collections and the allow-list, and are checked as a whole', async (t) => {
  const trellis = await startTrellis(t)
  const document = {
    version: 2,
    tables: [],
    query_collections: [{ ...collection('b'), comment: 'x' }, collection('a')],
    allowlist: [{ collection: 'b' }],
  }
  assert.deepEqual(await trellis.op('replace_metadata', document), ok)
  const exported = await trellis.op('export_metadata', {})
  assert.deepEqual(exported, { ...document, query_collections: document.query_collections.toReversed() })
  await trellis.op('clear_metadata', {})
  assert.deepEqual(await trellis.op('export_metadata', {}), { version: 2, tables: [] })
  await trellis.op('replace_metadata', exported)
  assert.deepEqual(await trellis.op('export_metadata', {}), exported)
  const error = async (change: object) => trellis.opError('replace_metadata', { ...document, ...change })
  assert.deepEqual(
    await error({ allowlist: [{ collection: 'b' }, { collection: 'c' }] }),
    refused('not-exists', missing('c'), '$.args.allowlist[1]'),
  )
  const repeated = 'multiple declarations exist for the following'
  assert.deepEqual(
    await error({ allowlist: [{ collection: 'b' }, { collection: 'b' }] }),
    refused('already-exists', `${repeated} allow list : "b"`, '$.args.allowlist'),
  )
  assert.deepEqual(
    await error({ query_collections: [collection('b'), collection('b')] }),
    refused('already-exists', `${repeated} query collections : "b"`, '$.args.query_collections'),
  )
  assert.deepEqual(
    await error({ query_collections: [collection('b', [{ ...one, comment: 'x' }])] }),
    refused('parse-failed', 'unexpected key "comment"', '$.query_collections[0].definition.queries[0].comment'),
  )
  assert.deepEqual(
    await error({ query_collections: [collection('b', [{ name: 'x', query: '{' }])] }),
    refused('parse-failed', 'parsing the graphql query failed', '$.query_collections[0].definition.queries[0].query'),
  )
  assert.deepEqual(await trellis.op('export_metadata', {}), exported)
})
