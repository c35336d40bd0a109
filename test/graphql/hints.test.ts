// Hints next to the message of a refused request.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { nearestNames } from '../../core/errors/nearest.ts'
import { startLibrary } from '../support/library.ts'
import type { TestTrellis, TrellisOptions } from '../support/trellis.ts'

async function startOffice(t: TestContext, options?: TrellisOptions): Promise<TestTrellis> {
  const trellis = await startLibrary(t, options)
  const permission = { columns: ['id', 'title'], filter: {} }
  await trellis.op('create_select_permission', { table: 'book', role: 'reader', permission })
  return trellis
}

interface Refused {
  readonly errors: readonly [
    {
      readonly message: string
      readonly extensions: { readonly path: string; readonly code: string; readonly hint?: string }
      readonly locations?: unknown
    },
  ]
}

/** Message and hint of a refused document. */
async function refusal(trellis: TestTrellis, query: string, role?: string, variables = {}) {
  const { errors } = await trellis.graphql<Refused>(query, variables, { role })
  assert.equal(errors.length, 1)
  const { message, extensions } = errors[0]
  return [message, extensions.hint]
}

test('a misspelt name gets the similar name as a hint', async (t) => {
  const trellis = await startOffice(t)
  const asked = async (query: string, ...expected: unknown[]) =>
    assert.deepEqual(await refusal(trellis, query), expected, query)
  await asked('{ boook { id } }', `field "boook" not found in type: 'query_root'`, 'did you mean "book"?')
  await asked(
    '{ book_by_kp(id: 1) { id } }',
    `field "book_by_kp" not found in type: 'query_root'`,
    'did you mean "book_by_pk"?',
  )
  await asked('{ book { titel } }', `field "titel" not found in type: 'book'`, 'did you mean "title"?')
  await asked(
    '{ book { publisherId } }',
    `field "publisherId" not found in type: 'book'`,
    'did you mean "publisher_id"?',
  )
  await asked('{ book(limt: 1) { id } }', '"book" has no argument named "limt"', 'did you mean "limit"?')
  await asked(
    '{ book(where: {titel: {}}) { id } }',
    `field "titel" not found in type: 'book_bool_exp'`,
    'did you mean "title"?',
  )
  await asked(
    '{ book { ...shortt } } fragment short on book { id }',
    'reference to undefined fragment "shortt"',
    'did you mean "short"?',
  )
  await asked('query ($least: Int) { book(limit: $lesat) { id } }', 'unbound variable "lesat"', 'did you mean "least"?')
  await asked(
    'mutation { delete_publishers(where: {}) { affected_rows } }',
    `field "delete_publishers" not found in type: 'mutation_root'`,
    'did you mean "delete_publisher"?',
  )
  await asked('{ wholly_other { id } }', `field "wholly_other" not found in type: 'query_root'`, undefined)
})

test('hints contain only names that the role may see', async (t) => {
  const trellis = await startOffice(t)
  const hintOf = async (query: string) => (await refusal(trellis, query, 'reader'))[1]
  assert.equal(await hintOf('{ book { titel } }'), 'did you mean "title"?')
  assert.equal(await hintOf('{ boook { id } }'), 'did you mean "book"?')
  for (const hidden of [
    '{ publishe { id } }',
    '{ book { prise } }',
    '{ book { publishr { id } } }',
    '{ book(where: {pagess: {_eq: 1}}) { id } }',
    '{ book(order_by: {publisher_i: asc}) { id } }',
    '{ book_aggregat { nodes { id } } }',
  ]) {
    assert.equal(await hintOf(hidden), undefined, hidden)
  }
})

test('names of prototype members are ordinary names', async (t) => {
  const trellis = await startOffice(t)
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
    const message = `field "${name}" not found in type: `
    assert.deepEqual(await refusal(trellis, `{ ${name} }`), [`${message}'query_root'`, undefined])
    assert.deepEqual(await refusal(trellis, `{ book { ${name} } }`), [`${message}'book'`, undefined])
    const where = `{ book(where: {${name}: 1}) { id } }`
    assert.deepEqual(await refusal(trellis, where), [`${message}'book_bool_exp'`, undefined])
    assert.deepEqual(await refusal(trellis, `{ book(${name}: 1) { id } }`), [
      `"book" has no argument named "${name}"`,
      undefined,
    ])
  }
})

test('a syntax error reports the position and the expected token', async (t) => {
  const trellis = await startOffice(t)
  const refused = async (query: string, hint: string, line: number, column: number) => {
    const body = await trellis.graphql(query)
    const extensions = { path: '$.query', code: 'validation-failed', hint }
    const error = { extensions, message: 'not a valid graphql query', locations: [{ line, column }] }
    assert.deepEqual(body, { errors: [error] })
  }
  await refused('{ book {', 'Expected Name, found <EOF>.', 1, 9)
  await refused('{\n  book { id }\n  #\n  ]\n}', 'Expected Name, found "]".', 4, 3)
  const long = 'x'.repeat(100_000)
  await refused(`{ book(${long}) }`, 'Expected ":", found ")".', 1, 100_008)
  await refused(long, `Unexpected Name "${'x'.repeat(183)}…`, 1, 1)
  const explained = await trellis.request('/v1/graphql/explain', { body: { query: { query: '{' } } })
  assert.deepEqual(
    [explained.status, explained.body],
    [
      400,
      {
        path: '$.query',
        error: 'not a valid graphql query',
        code: 'validation-failed',
        hint: 'Expected Name, found <EOF>.',
        locations: [{ line: 1, column: 2 }],
      },
    ],
  )
})

test('metadata operations suggest types, tables and columns', async (t) => {
  const trellis = await startOffice(t)
  await trellis.sql('create schema shop; create table shop.invoice (id int); create table label (id int)')
  const hintOf = async (type: string, args: unknown, role?: string) => {
    const { status, body } = await trellis.opError(type, args, { role })
    assert.equal(status, 400)
    return (body as { hint?: string }).hint
  }
  assert.equal(await hintOf('set_tabel_is_enum', {}), 'did you mean "set_table_is_enum"?')
  assert.equal(await hintOf('track_table', 'lable'), 'did you mean "label"?')
  assert.equal(await hintOf('track_table', 'invoice'), 'did you mean "shop.invoice"?')
  assert.equal(await hintOf('track_table', { schema: 'shop', name: 'invoce' }), 'did you mean "shop.invoice"?')
  assert.equal(await hintOf('track_table', 'nothing_like_it'), undefined)
  assert.equal(await hintOf('set_table_is_enum', { table: 'boook', is_enum: true }), 'did you mean "book"?')
  const permission = (more: object) => ({
    table: 'book',
    role: 'editor',
    permission: { columns: ['id'], filter: {}, ...more },
  })
  const select = 'create_select_permission'
  assert.equal(await hintOf(select, permission({ columns: ['id', 'titel'] })), 'did you mean "title"?')
  assert.equal(await hintOf(select, permission({ filter: { titel: 'x' } })), 'did you mean "title"?')
  assert.equal(await hintOf(select, permission({ filter: { publishr: {} } })), 'did you mean "publisher"?')
  assert.equal(await hintOf(select, permission({ filter: { id: { _ceq: 'pags' } } })), 'did you mean "pages"?')
  const insert = { table: 'book', role: 'editor', permission: { check: {}, set: { titel: 'x' } } }
  assert.equal(await hintOf('create_insert_permission', insert), 'did you mean "title"?')
  const read = (column: string) => ({ table: 'book', columns: [column] })
  assert.equal(await hintOf('select', read('titel')), 'did you mean "title"?')
  assert.equal(await hintOf('select', read('titel'), 'reader'), 'did you mean "title"?')
  assert.equal(await hintOf('select', read('pagess'), 'reader'), undefined)
  const where = (expression: object) => ({ table: 'book', columns: ['id'], where: expression })
  assert.equal(await hintOf('select', where({ titel: 'x' }), 'reader'), 'did you mean "title"?')
  assert.equal(await hintOf('select', where({ pagess: 1 }), 'reader'), undefined)
  assert.equal(await hintOf('select', where({ publishr: {} }), 'reader'), undefined)
  assert.equal(await hintOf('select', where({ id: { $ceq: 'pags' } }), 'reader'), undefined)
})

test('operations of a disabled API are not suggested', async (t) => {
  const trellis = await startLibrary(t, { settings: { enabledApis: ['metadata', 'graphql'] } })
  const { body } = await trellis.opError('pg_dum', {})
  assert.doesNotMatch(JSON.stringify(body), /pg_dump/)
})

test('the hasura dialect has the members of v1.3 only', async (t) => {
  const trellis = await startOffice(t, { settings: { dialect: 'hasura' } })
  const extensions = (path: string) => ({ path, code: 'validation-failed' })
  assert.deepEqual(await trellis.graphql('{'), {
    errors: [{ extensions: extensions('$.query'), message: 'not a valid graphql query' }],
  })
  const unknown = {
    extensions: extensions('$.selectionSet.boook'),
    message: `field "boook" not found in type: 'query_root'`,
  }
  assert.deepEqual(await trellis.graphql('{ boook { id } }'), { errors: [unknown] })
  const batch = await trellis.request('/v1/graphql', { body: [{ query: '{ boook { id } }' }] })
  assert.deepEqual(batch.body, [{ errors: [unknown] }])
  const { body } = await trellis.opError('track_table', 'boook')
  assert.equal('hint' in (body as object), false)
})

test('a suggestion takes negligible time, however many names there are', () => {
  const names = Array.from({ length: 200_000 }, (_, i) => `table_of_many_${i}`)
  const started = performance.now()
  for (const wrong of ['tabel_of_many_7', 'x'.repeat(10_000_000), 'y'.repeat(100), '\ud800', '\u0000', ''])
    nearestNames(wrong, names)
  assert.ok(performance.now() - started < 20_000)
  assert.deepEqual(nearestNames('tabel_of_many_7', names).slice(0, 1), ['table_of_many_7'])
})

test('one letter in four may differ, and the closest name comes first', () => {
  const of = (wrong: string, ...names: string[]) => nearestNames(wrong, names)
  assert.deepEqual(of('titel', 'tile', 'title', 'little'), ['title'])
  assert.deepEqual(of('ID', 'id', 'i'), ['id'])
  assert.deepEqual(of('x', 'y', 'xy'), [])
  assert.deepEqual(of('delete_book', 'insert_book', 'update_book'), [])
  assert.deepEqual(of('releasedOn', 'released_on'), ['released_on'])
})
