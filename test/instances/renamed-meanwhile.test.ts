// Requests that were planned before a change of the metadata, and whose statements PostgreSQL runs after it: they have waited
// for the lock that the change holds.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { connectTo } from '../support/database.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const shelf = `
  create table book (id int primary key, title text, pages int);
  insert into book values (1, 'Dawn', 300);
`

/** Two servers, whose clients know the table and its columns by names of their own. */
async function startPair(t: TestContext): Promise<readonly TestTrellis[]> {
  const first = await startTrellis(t, { sql: shelf })
  const custom_root_fields = { select: 'books', update: 'change_books' }
  const configuration = { custom_root_fields, custom_column_names: { title: 'name' } }
  await first.op('track_table', { table: 'book', configuration }, { version: 2 })
  return [first, await startTrellis(t, { database: first.database })]
}

/**
 * Runs SQL by the first server, with `others` statements in flight beside it: all wait for a transaction
 * that reads the table.
 */
async function meanwhile<T>(
  t: TestContext,
  { op, database }: TestTrellis,
  sql: string,
  work: () => readonly Promise<T>[],
  others = 0,
): Promise<T[]> {
  const [reader, observer] = await Promise.all([connectTo(t, database.url), connectTo(t, database.url)])
  const waiting = async (count: number) => {
    const { rows } = await observer.query(
      `select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`,
    )
    return rows.length >= count
  }
  await reader.query('begin; lock table book in access share mode')
  const change = op('run_sql', { sql })
  await eventually(() => waiting(1))
  const works = work()
  // Live queries are polled after changes.
  await observer.query('select txid_current()')
  await eventually(() => waiting(1 + works.length + others))
  await reader.query('commit')
  await change
  return Promise.all(works)
}

const renames = {
  'a column': 'alter table book rename column title to heading',
  'a table': 'alter table book rename to volume',
  'a schema': 'create schema shelf; alter table book set schema shelf',
}

for (const [what, sql] of Object.entries(renames)) {
  test(`requests during a rename of ${what} are answered with its new name`, async (t) => {
    const pair = await startPair(t)
    const [first] = pair
    const answers = await meanwhile(t, first!, sql, () =>
      pair.flatMap(({ graphql }) => [
        graphql('{ books { id name } }'),
        graphql('{ books { id name } __typename }'),
        graphql('mutation { change_books(where: {name: {_eq: "none"}}, _set: {name: "x"}) { affected_rows } }'),
      ]),
    )
    const books = [{ id: 1, name: 'Dawn' }]
    const read = { data: { books } }
    const named = { data: { books, __typename: 'query_root' } }
    const changed = { data: { change_books: { affected_rows: 0 } } }
    assert.deepEqual(answers, [read, named, changed, read, named, changed])
  })
}

test('a request for an old name is refused with the reason', async (t) => {
  const [first] = await startPair(t)
  await first!.op('set_table_custom_fields', { table: 'book' }, { version: 2 })
  const [answer] = await meanwhile(t, first!, 'alter table book rename column title to heading', () => [
    first!.graphql<{ errors: { message: string }[] }>('{ book { title } }'),
  ])
  assert.equal(answer!.errors[0]!.message, `field "title" not found in type: 'book'`)
})

test('data operations that waited for a rename see the renamed column', async (t) => {
  const [first] = await startPair(t)
  const [answer] = await meanwhile(t, first!, 'alter table book rename column title to heading', () => [
    first!.request('/v1/query', { body: { type: 'select', args: { table: 'book', columns: ['*'] } } }),
  ])
  assert.deepEqual([answer!.status, answer!.body], [200, [{ id: 1, heading: 'Dawn', pages: 300 }]])
})

test('subscriptions survive the rename of a column that keeps its GraphQL name', async (t) => {
  const pair = await startPair(t)
  const [first] = pair
  const subscribers = pair.map(({ url }) => subscribeWith(graphqlWsClient(t, url), 'subscription { books { name } }'))
  await Promise.all(subscribers.map((each) => each.atLeast(1)))
  await meanwhile(t, first!, 'alter table book rename column title to heading', () => [], subscribers.length)
  await first!.sql(`update book set heading = 'Dusk' where id = 1`)
  for (const each of subscribers) {
    const answers = ['Dawn', 'Dusk'].map((name) => ({ data: { books: [{ name }] } }))
    assert.deepEqual(await each.atLeast(2), answers)
  }
})

test('failures without a change of the metadata stay as they were', async (t) => {
  const [first] = await startPair(t)
  await first!.sql('alter table book rename column title to heading')
  const { errors } = await first!.graphql<{ errors: { message: string }[] }>('{ books { id name } }')
  assert.equal(errors[0]!.message, 'database query error')
})
