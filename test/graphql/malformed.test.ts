// Arbitrary input: every request is answered in the shape of the endpoint, refused with a client error, and changes
// nothing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from '../support/fast-check.ts'
import { startLibrary } from '../support/library.ts'
import type { TestTrellis } from '../support/trellis.ts'

const odd = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__typename', '__schema', '']
const known = [
  'book',
  'publisher',
  'id',
  'title',
  'where',
  'limit',
  'order_by',
  '_and',
  '_or',
  '_eq',
  '_in',
  'objects',
  'info',
]
const strange = ['\u0000', '\ud800', '\udc00x', '\ufeff', "';--", 'x'.repeat(5000), '☃', '\\u0000', '1', '-0', '$x']

const word = fc.constantFrom(...odd, ...known)
const text = fc.oneof(word, fc.constantFrom(...strange), fc.string({ unit: 'binary', maxLength: 8 }))
const scalar = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
)
const json = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(word, text), tie('json'), { maxKeys: 3 }),
  ),
})).json

/** Syntactically valid GraphQL, with names that may exist and values of any kind. */
const graphqlName = fc.constantFrom(
  ...odd.slice(0, -1),
  ...known,
  'insert_book',
  'update_book',
  'book_by_pk',
  'a'.repeat(300),
)
const literal = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      '1',
      '-1',
      '1.5e400',
      '99999999999999999999',
      'true',
      'null',
      'asc',
      '$v',
      '$w',
      '"x"',
      '"\\u0000"',
      '"\\ud800"',
    ),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(' ')}]`),
    fc.array(fc.tuple(graphqlName, tie('value')), { maxLength: 3 }).map((members) => {
      return `{${members.map(([name, value]) => `${name}: ${value}`).join(' ')}}`
    }),
  ),
})).value
const selection = fc.letrec<{ set: string }>((tie) => ({
  set: fc
    .array(
      fc.tuple(
        fc.constantFrom('', '', 'x: ', 'toString: ', '__proto__: '),
        fc.oneof(graphqlName, fc.constantFrom('...f', '... on book', '... on __proto__')),
        fc.array(fc.tuple(graphqlName, literal), { maxLength: 2 }),
        fc.option(tie('set'), { depthSize: 'small' }),
        fc.constantFrom('', '', '@include(if: $v)', '@skip(if: true)', '@toString', '@include'),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((fields) => {
      const parts = fields.map(([alias, name, args, set, directive]) => {
        const given = args.map(([key, value]) => `${key}: ${value}`).join(' ')
        if (name.startsWith('...')) return `${name} ${directive} ${name === '...f' ? '' : (set ?? '{ id }')}`
        return `${alias}${name}${given && `(${given})`} ${directive} ${set ?? ''}`
      })
      return `{ ${parts.join(' ')} }`
    }),
})).set
const type = fc.constantFrom(
  'Int',
  'Int!',
  '[String!]',
  'book_bool_exp',
  'jsonb!',
  '__proto__',
  'toString!',
  'Boolean!',
)
const document = fc
  .tuple(fc.constantFrom('query', 'mutation', 'subscription'), type, type, selection, selection)
  .map(([kind, v, w, set, fragment]) => `${kind} ($v: ${v}, $w: ${w} = 1) ${set} fragment f on book ${fragment}`)

const runs = { numRuns: 60 }

/** A server failure has a status of 500 or more; no input may cause one. */
async function isRefusedOrAnswered(trellis: TestTrellis, path: string, body: string, role?: string): Promise<void> {
  const answer = await trellis.request(path, { body, role })
  assert.ok(answer.status < 500, `${answer.status} ${answer.text}`)
  assert.doesNotMatch(answer.text, /\.ts:\d|node:internal|internal error|database query error/)
  JSON.parse(answer.text)
}

test('any document with any variables is answered', async (t) => {
  const trellis = await startLibrary(t)
  const permission = { columns: ['id', 'title'], filter: {} }
  await trellis.op('create_select_permission', { table: 'book', role: 'reader', permission })
  const property = fc.asyncProperty(
    fc.oneof(document, text),
    fc.oneof(fc.record({ v: json, w: json }, { requiredKeys: [] }), json),
    fc.constantFrom(undefined, 'reader', '__proto__', 'toString'),
    async (query, variables, role) => {
      const body = JSON.stringify({ query, variables })
      for (const path of ['/v1alpha1/graphql', '/v1beta1/relay']) await isRefusedOrAnswered(trellis, path, body, role)
    },
  )
  await fc.assert(property, runs)
})

test('any body of a GraphQL request or of an operation is answered', async (t) => {
  const trellis = await startLibrary(t)
  const paths = ['/v1/graphql', '/v1alpha1/graphql', '/v1/graphql/explain', '/v1/query']
  const property = fc.asyncProperty(
    fc.oneof(
      json.map((value) => JSON.stringify(value)),
      fc.string({ unit: 'binary' }),
    ),
    async (body) => {
      for (const path of paths) await isRefusedOrAnswered(trellis, path, body)
    },
  )
  await fc.assert(property, runs)
})

test('operations answer any arguments', async (t) => {
  const trellis = await startLibrary(t)
  const types = [
    'track_table',
    'create_select_permission',
    'create_object_relationship',
    'select',
    'insert',
    'update',
    'delete',
    'count',
    'bulk',
    'replace_metadata',
    'add_computed_field',
    'track_function',
    'set_table_custom_fields',
    'toString',
    '__proto__',
  ]
  const keys = fc.constantFrom(
    'table',
    'name',
    'role',
    'permission',
    'columns',
    'filter',
    'where',
    'objects',
    'using',
    'args',
    'type',
    ...odd,
  )
  const args = fc.oneof(
    json,
    fc.dictionary(keys, fc.oneof(json, fc.constantFrom('book', 'admin', '*')), { maxKeys: 6 }),
  )
  const property = fc.asyncProperty(
    fc.constantFrom(...types),
    args,
    fc.constantFrom(1, 2),
    async (type, args, version) => {
      const body = JSON.stringify({ type, args, version })
      await isRefusedOrAnswered(trellis, '/v1/query', body)
    },
  )
  await fc.assert(property, runs)
})
