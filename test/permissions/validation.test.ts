// `validate_input`: a server judges the values of changes before they are made.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type OtherAnswer, startOther } from '../auth/other-server.ts'
import { startLibrary } from '../support/library.ts'

async function start(t: TestContext) {
  let answers: OtherAnswer[] = []
  const judge = await startOther(t, () => answers.shift() ?? {})
  const trellis = await startLibrary(t)
  const validated = (url: string, more: object = {}) => ({
    validate_input: { type: 'http', definition: { url: judge.url + url, ...more } },
  })
  const grant = (kind: string, table: string, permission: object, role = 'r') =>
    trellis.op(`create_${kind}_permission`, { table, role, permission })
  for (const table of ['publisher', 'book']) await grant('select', table, { columns: '*', filter: {} })
  const all = { columns: '*', check: {} }
  await grant('insert', 'publisher', { ...all, ...validated('/publisher', { timeout: 5 }) })
  const headers = [{ name: 'x-from', value: 'library' }]
  await grant('insert', 'book', { ...all, ...validated('/book', { headers, forward_client_headers: true }) })
  await grant('update', 'book', { columns: '*', filter: {}, ...validated('/update') })
  await grant('delete', 'book', { filter: {}, ...validated('/delete') })
  return {
    trellis,
    judge,
    validated,
    grant,
    /** The requests to the server since the last call: their paths and values. */
    asked: () => judge.received.splice(0).map(({ path, body }) => [path, JSON.parse(body).data.input]),
    answerWith: (...given: OtherAnswer[]) => {
      answers = given
    },
    ask: (query: string, variables: object = {}) =>
      trellis.graphql(query, { ...variables }, { role: 'r', headers: { 'x-service-user-id': '7', 'x-mark': 'm' } }),
  }
}

test('the servers of permissions are asked about the values of changes', async (t) => {
  const { trellis, judge, asked, ask } = await start(t)
  const inserted = await ask(
    `mutation ($price: numeric, $rest: [book_insert_input!]!) {
    one: insert_publisher_one(object: {name: "Dell", books: {data: [{title: "Gale", price: $price}]}}) { books { title } }
    insert_book(objects: $rest) { affected_rows } }`,
    {
      price: '12345678901234567890.5',
      rest: [{ title: 'Haze', publisher: { data: { name: 'Eke' } } }],
    },
  )
  assert.deepEqual(inserted, { data: { one: { books: [{ title: 'Gale' }] }, insert_book: { affected_rows: 2 } } })
  const [first, second] = judge.received
  assert.deepEqual(JSON.parse(first!.body), {
    version: 1,
    role: 'r',
    session_variables: { 'x-service-role': 'r', 'x-service-user-id': '7' },
    data: { input: [{ name: 'Dell' }] },
  })
  assert.equal(second?.headers['x-from'], 'library')
  assert.deepEqual([first?.headers['x-mark'], second?.headers['x-mark']], [undefined, 'm'])
  assert.deepEqual(asked(), [
    ['/publisher', [{ name: 'Dell' }]],
    ['/book', [{ title: 'Gale', price: '12345678901234567890.5' }]],
    ['/book', [{ title: 'Haze' }]],
    ['/publisher', [{ name: 'Eke' }]],
  ])

  await ask(`mutation {
    update_book(where: {title: {_eq: "Fog"}}, _set: {pages: 9}) { affected_rows }
    update_book_by_pk(pk_columns: {id: 1}, _inc: {pages: 1}) { id }
    update_book_many(updates: [{where: {id: {_eq: 2}}, _set: {pages: 3}}]) { affected_rows }
    delete_book(where: {title: {_eq: "Fog"}}) { affected_rows }
    delete_book_by_pk(id: 2) { id } }`)
  assert.deepEqual(asked(), [
    ['/update', [{ where: { title: { _eq: 'Fog' } }, _set: { pages: 9 } }]],
    ['/update', [{ pk_columns: { id: 1 }, _inc: { pages: 1 } }]],
    ['/update', [{ where: { id: { _eq: 2 } }, _set: { pages: 3 } }]],
    ['/delete', [{ where: { title: { _eq: 'Fog' } } }]],
    ['/delete', [{ pk_columns: { id: 2 } }]],
  ])

  // One plan for all values: the question depends on those of the request.
  const query = 'mutation ($rows: [publisher_insert_input!]!) { insert_publisher(objects: $rows) { affected_rows } }'
  await ask(query, { rows: [] })
  for (const name of ['Hal', 'Ida']) await ask(query, { rows: [{ name }] })
  await ask(query, { rows: [{ name: 'Jon' }, { name: 'Kim', books: { data: [] } }] })
  await ask(query, { rows: [{ name: 'Lea', books: { data: [{ title: 'Moon' }] } }] })
  assert.deepEqual(asked(), [
    ['/publisher', [{ name: 'Hal' }]],
    ['/publisher', [{ name: 'Ida' }]],
    ['/publisher', [{ name: 'Jon' }, { name: 'Kim' }]],
    ['/publisher', [{ name: 'Lea' }]],
    ['/book', [{ title: 'Moon' }]],
  ])
  await ask(`mutation { insert_book_one(object: {id: 1, title: "Dusk", publisher_id: 1},
    on_conflict: {constraint: book_pkey, update_columns: [title]}) { id } }`)
  const dusk = { id: 1, title: 'Dusk', publisher_id: 1 }
  assert.deepEqual(asked(), [
    ['/book', [dusk]],
    ['/update', [{ _set: dusk }]],
  ])

  // Administrators, and changes without values, ask nothing.
  await trellis.graphql('mutation { insert_publisher_one(object: {name: "Fen"}) { id } }')
  await ask('mutation { insert_book(objects: []) { affected_rows } }')
  await ask('{ book { id } }')
  assert.deepEqual(asked(), [])
})

test('a refusal, or no valid answer, refuses the whole operation', async (t) => {
  const { trellis, answerWith, asked, ask, judge } = await start(t)
  const two = `mutation { insert_publisher_one(object: {name: "Gum"}) { id }
    insert_book_one(object: {title: "Ice", publisher_id: 1}) { id } }`
  const refusal = async (...answers: OtherAnswer[]) => {
    answerWith(...answers)
    const { errors, data } = (await ask(two)) as { errors: { message: string; extensions: object }[]; data?: unknown }
    assert.equal(data, undefined)
    return [errors[0]!.message, errors[0]!.extensions]
  }
  const path = '$'
  const unexpected = { path, code: 'unexpected' }
  assert.deepEqual(await refusal({}, { status: 400, body: { message: 'no titles of ice', more: 1 } }), [
    'no titles of ice',
    { path, code: 'validation-failed' },
  ])
  assert.deepEqual(asked().length, 2)
  assert.deepEqual(await refusal({ status: 400, body: { message: 'no' } }), ['no', { path, code: 'validation-failed' }])
  assert.deepEqual(asked().length, 1)
  const invalid = 'not a valid json response from webhook'
  assert.deepEqual(await refusal({ status: 400, body: 'no' }), [invalid, unexpected])
  assert.deepEqual(await refusal({ status: 400, body: { error: 'no' } }), [invalid, unexpected])
  assert.deepEqual(await refusal({ status: 500, body: { message: 'no' } }), ['internal error', unexpected])
  assert.deepEqual(await refusal({ status: 204 }), ['internal error', unexpected])
  await judge.stop()
  assert.deepEqual(await refusal(), ['http exception when validating input data', unexpected])
  assert.deepEqual(await trellis.sql(`select title from book where title = 'Ice'`), [])
  assert.deepEqual(await trellis.sql(`select name from publisher where name = 'Gum'`), [])
})

test('validate_input is kept in documents, and other ways to change rows are refused', async (t) => {
  const { trellis, judge, grant, validated } = await start(t)
  const exported = await trellis.op<{ tables: { table: { name: string }; insert_permissions: object[] }[] }>(
    'export_metadata',
    {},
  )
  const book = exported.tables.find(({ table }) => table.name === 'book')!
  const definition = {
    url: `${judge.url}/book`,
    headers: [{ name: 'x-from', value: 'library' }],
    forward_client_headers: true,
  }
  assert.deepEqual(book.insert_permissions, [
    { role: 'r', permission: { check: {}, columns: '*', validate_input: { type: 'http', definition } } },
  ])
  await trellis.op('replace_metadata', exported)
  assert.deepEqual(await trellis.op('export_metadata', {}), exported)

  for (const [type, args] of [
    ['insert', { table: 'book', objects: [{ title: 'Jet' }] }],
    ['update', { table: 'book', $set: { pages: 1 }, where: {} }],
    ['delete', { table: 'book', where: {} }],
  ] as const) {
    const { status, body } = await trellis.opError(type, args, { role: 'r' })
    const { error, code } = body as { error: string; code: string }
    assert.deepEqual(
      [status, code, error],
      [400, 'not-supported', `${type} on "book" has "validate_input", so that only GraphQL can change it`],
    )
  }

  // Parents that agree give an inherited role the permission with the question; others give it none.
  await grant('delete', 'publisher', { filter: {}, ...validated('/gone') }, 'one')
  await grant('delete', 'publisher', { filter: {}, ...validated('/gone') }, 'two')
  await grant('delete', 'publisher', { filter: {} }, 'three')
  for (const name of ['one', 'two']) await grant('select', 'publisher', { columns: '*', filter: {} }, name)
  await trellis.op('add_inherited_role', { role_name: 'both', role_set: ['one', 'two'] })
  await trellis.op('add_inherited_role', { role_name: 'mixed', role_set: ['one', 'three'] })
  const gone = 'mutation { delete_publisher(where: {name: {_eq: "nobody"}}) { affected_rows } }'
  assert.deepEqual(await trellis.graphql(gone, {}, { role: 'both' }), {
    data: { delete_publisher: { affected_rows: 0 } },
  })
  assert.deepEqual(
    judge.received.map(({ path }) => path),
    ['/gone'],
  )
  assert.match(JSON.stringify(await trellis.graphql(gone, {}, { role: 'mixed' })), /field|no mutations exist/)

  // A plan of the former permission serves no more requests.
  await grant('select', 'publisher', { columns: '*', filter: {} }, 'three')
  const none = { data: { delete_publisher: { affected_rows: 0 } } }
  assert.deepEqual(await trellis.graphql(gone, {}, { role: 'three' }), none)
  await trellis.op('drop_delete_permission', { table: 'publisher', role: 'three' })
  await grant('delete', 'publisher', { filter: {}, ...validated('/late') }, 'three')
  assert.deepEqual(await trellis.graphql(gone, {}, { role: 'three' }), none)
  assert.equal(judge.received.at(-1)?.path, '/late')

  const url = '{{NO_SUCH_JUDGE}}/x'
  const { body } = await trellis.opError('create_insert_permission', {
    ...{ table: 'book', role: 'lost' },
    permission: { check: {}, validate_input: { type: 'http', definition: { url } } },
  })
  assert.equal(
    (body as { error: string }).error,
    'in table "book": in permission for role "lost": Value for environment variables not found: NO_SUCH_JUDGE',
  )
})
