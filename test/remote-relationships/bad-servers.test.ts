// Remote servers with invalid answers to joins: the rows are served all the same.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCrm } from '../remote-schemas/crm.ts'
import { startLibrary } from '../support/library.ts'
import { author, startJoined } from './joined.ts'

const definition = { timeout_seconds: 3 }
const query = '{ book(order_by: {id: asc}, limit: 2) { title author { id name } } }'

interface Answer {
  readonly data: { readonly book: { readonly title: string; readonly author: unknown }[] }
  readonly errors?: { message: string; path: unknown; extensions: { code: string; path: string } }[]
}

const found = { id: 1, name: 'a' }

test('invalid answers, and values of another type, are errors at their rows', async (t) => {
  const { crm, trellis } = await startJoined(t)
  const deep = `${'['.repeat(1000)}${']'.repeat(1000)}`
  const cases: [body: unknown, authors: unknown[], errors: [path: unknown[], message: RegExp][]][] = [
    ['oh no', [null, null], both(/^Remote server response is not valid JSON: /)],
    ['', [null, null], both(/^Remote server response is not valid JSON: /)],
    [{}, [null, null], both(/^"data" field not found in remote response$/)],
    [{ data: null }, [null, null], []],
    [{ data: { user__0: found } }, [found, null], []],
    [
      { data: { user__0: found, user__1: { id: 2 } } },
      [found, null],
      [[['book', 1, 'author', 'name'], /^expecting not null value for field "name"$/]],
    ],
    [{ data: { user__0: [found], user__1: 'x' } }, [null, null], both(/^expecting an object for field "author"$/)],
    [
      { data: { user__0: { id: { a: 1 }, name: 'a' }, user__1: found } },
      [null, found],
      [[['book', 0, 'author', 'id'], /^expecting a value of type "Int"/]],
    ],
    [
      `{"data":{"user__0":${deep},"user__1":{"id":1,"name":"a"}}}`,
      [null, found],
      [[['book', 0, 'author'], /^expecting an object/]],
    ],
    [{ data: { user__9: found, book: [1] } }, [null, null], []],
  ]
  for (const [body, authors, errors] of cases) {
    crm.answer = () => ({ body })
    const given = await trellis.graphql<Answer>(query)
    assert.deepEqual(given.data.book, [
      { title: 'Dawn', author: authors[0] },
      { title: 'Ebb', author: authors[1] },
    ])
    assert.deepEqual(
      given.errors?.map(({ path }) => path) ?? [],
      errors.map(([path]) => path),
    )
    for (const [i, { message, extensions }] of (given.errors ?? []).entries()) {
      assert.match(message, errors[i]![1])
      assert.equal(extensions.code, 'unexpected')
      assert.match(extensions.path, /^\$\.selectionSet\.book\.selectionSet\.author/)
    }
  }
})

function both(message: RegExp): [path: unknown[], message: RegExp][] {
  return [0, 1].map((i) => [['book', i, 'author'], message])
}

test('one failed request of several affects only its own rows', async (t) => {
  const { crm, trellis } = await startJoined(t, [author], { settings: { remoteJoinBatchSize: 2 } })
  let asked = 0
  crm.answer = ({ body }) => {
    const ids: number[] = Object.values(JSON.parse(body).variables)
    asked++
    if (ids.includes(3)) return { status: 502, body: 'oh no' }
    return { body: { data: Object.fromEntries(ids.map((id, i) => [`user__${i}`, { id, name: `a${id}` }])) } }
  }
  const given = await trellis.graphql<Answer>('{ book(order_by: {id: asc}) { author { id } } }')
  assert.equal(asked, 2)
  assert.deepEqual(given.data.book, [{ author: { id: 1 } }, { author: { id: 2 } }, { author: null }])
  const message = "Remote server response is not valid JSON: Unexpected token 'o'"
  assert.deepEqual(
    given.errors?.map((error) => [error.message, error.path, error.extensions.code]),
    [[message, ['book', 2, 'author'], 'unexpected']],
  )
})

test('deeply nested values and errors are handled', async (t) => {
  const { crm, trellis } = await startJoined(t)
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const tooDeep = 'the value of field "long" is nested too deeply'
  const fields = '{ book(limit: 2) { title author { name long } } user(id: 1) { name long } }'
  for (const levels of [5000, 200_000]) {
    const other = '"user__1":{"name":"b","long":1}'
    crm.answer = ({ body }) => {
      const user = `{"name":"a","long":${deep(levels)}}`
      return { body: `{"data":${body.includes('user__0') ? `{"user__0":${user},${other}}` : `{"user":${user}}`}}` }
    }
    const { data, errors } = await trellis.graphql<{ data: unknown; errors: Answer['errors'] }>(fields)
    assert.deepEqual(data, {
      book: [
        { title: 'Dawn', author: { name: 'a', long: null } },
        { title: 'Ebb', author: { name: 'b', long: 1 } },
      ],
      user: { name: 'a', long: null },
    })
    const places = [
      ['user', 'long'],
      ['book', 0, 'author', 'long'],
    ]
    assert.deepEqual(
      errors?.map(({ message, path, extensions: { code } }) => [message, path, code]),
      places.map((path) => [tooDeep, path, 'unexpected']),
    )
    crm.answer = () => ({
      body: `{"data":{"user__0":null},"errors":[{"message":"no","path":["user__0"],"extensions":{"why":${deep(levels)}}}]}`,
    })
    const refused = await trellis.graphql<Answer>('{ book(limit: 1) { title author { id } } }')
    assert.deepEqual(refused, {
      data: { book: [{ title: 'Dawn', author: null }] },
      errors: [
        {
          extensions: { path: '$.selectionSet.book.selectionSet.author', code: 'unexpected' },
          message: 'no',
          path: ['book', 0, 'author'],
        },
      ],
    })
  }
})

test('slow answers, huge answers, and ten thousand errors are handled', async (t) => {
  const { crm, trellis } = await startJoined(t)
  await trellis.op('update_remote_schema', { name: 'crm', definition: { url: crm.url, ...definition } })
  const errorsOf = async () => (await trellis.graphql<Answer>(query)).errors ?? []
  const many = Array.from({ length: 10_000 }, (_, i) => ({ message: `e${i}`, path: ['user__1', 'name'] }))
  crm.answer = () => ({ body: { data: { user__0: found, user__1: null }, errors: many } })
  const errors = await errorsOf()
  assert.deepEqual([errors.length, errors[9999]!.path], [10_000, ['book', 1, 'author', 'name']])
  crm.answer = () => null
  assert.deepEqual(
    (await errorsOf()).map(({ message }) => message),
    ['ResponseTimeout', 'ResponseTimeout'],
  )
  const huge = { data: { user__0: { id: 1, name: 'x'.repeat(70_000_000) } } }
  crm.answer = null
  await trellis.op('update_remote_schema', { name: 'crm', definition: { url: crm.url } })
  crm.answer = () => ({ body: JSON.stringify(huge) })
  assert.deepEqual(
    (await errorsOf()).map(({ message }) => message),
    ['ResponseTooLarge', 'ResponseTooLarge'],
  )
  crm.answer = () => ({ status: 302, body: '' })
  assert.match((await errorsOf())[0]!.message, /^Remote server response is not valid JSON/)
})

test('a mutation whose rows cannot be joined is kept, and rolled back in the other dialect', async (t) => {
  for (const dialect of ['trellis', 'hasura'] as const) {
    const relationship = dialect === 'hasura' ? { hasura_fields: ['id'], service_fields: undefined } : {}
    const { crm, trellis } = await startJoined(t, [{ ...author, ...relationship }], { settings: { dialect } })
    crm.answer = () => ({ body: 'oh no' })
    const text =
      'mutation { update_book(where: {id: {_eq: 1}}, _set: {title: "Dusk"}) { returning { title author { id } } } }'
    const { data, errors } = await trellis.graphql<{ data?: unknown; errors: { message: string }[] }>(text)
    assert.match(errors[0]!.message, /^Remote server response is not valid JSON/)
    const isPartial = dialect === 'trellis'
    if (isPartial) assert.deepEqual(data, { update_book: { returning: [{ title: 'Dusk', author: null }] } })
    else assert.equal(data, undefined)
    const kept = await trellis.sql<{ title: string }>('select title from book where id = 1')
    assert.deepEqual(kept, [{ title: isPartial ? 'Dusk' : 'Dawn' }])
  }
})

test('a failed non-null field does not affect other rows', async (t) => {
  const types = 'type Query { user(id: Int!): User!  maybe(id: Int!): User } type User { id: Int!  odd: Int }'
  const failing = new Set([2])
  const user = ({ id }: { id: number }) => {
    if (failing.has(id)) throw new Error(`no user ${id}`)
    const odd = () => {
      throw new Error(`not said of ${id}`)
    }
    return { id, odd }
  }
  const crm = await startCrm(t, types, { user, maybe: user })
  const trellis = await startLibrary(t)
  await trellis.sql('create table reader (id int primary key)')
  await trellis.sql('insert into reader select generate_series(1, 20)')
  await trellis.op('track_table', 'reader')
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  for (const name of ['user', 'maybe']) {
    const remote_field = { [name]: { arguments: { id: '$id' } } }
    const relationship = { table: 'reader', name, service_fields: ['id'], remote_schema: 'crm', remote_field }
    await trellis.op('create_remote_relationship', relationship)
  }
  const ask = async (limit: number, selected = '{ id }') => {
    const query = `{ reader(order_by: {id: asc}, limit: ${limit}) { user ${selected} maybe { id } } }`
    return await trellis.graphql<Lost>(query)
  }
  const there = await ask(3, '{ id odd }')
  assert.deepEqual(there.data.reader, [
    { user: { id: 1, odd: null }, maybe: { id: 1 } },
    { user: null, maybe: null },
    { user: { id: 3, odd: null }, maybe: { id: 3 } },
  ])
  assert.deepEqual(there.errors.map(({ message, path }) => [message, path.join('.')]).sort(), [
    ['no user 2', 'reader.1.maybe'],
    ['no user 2', 'reader.1.user'],
    ['not said of 1', 'reader.0.user.odd'],
    ['not said of 3', 'reader.2.user.odd'],
  ])
  // A server that reports only the first such field is asked five times at most.
  for (let id = 1; id < 20; id++) failing.add(id)
  const before = crm.asked().length
  const { data, errors } = await ask(20)
  assert.ok(crm.asked().length - before <= 6)
  assert.equal(errors.length, 40 - data.reader.flatMap((row) => [row.user, row.maybe]).filter(Boolean).length)
  assert.ok(errors.some(({ message }) => message === 'an error of another field left nothing of the answer'))
})

interface Lost {
  readonly data: { readonly reader: { readonly user: unknown; readonly maybe: unknown }[] }
  readonly errors: { readonly message: string; readonly path: (string | number)[] }[]
}
