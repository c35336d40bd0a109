import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { exported, mergedV2, mergedV3, migrations } from './project.ts'

/** Applies the migrations one request after another, each a bulk of one text, as the tool sends them. */
async function migrate(t: TestContext): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { settings: { dialect: 'hasura' } })
  for (const sql of migrations) {
    const text = { sql, cascade: false, read_only: false, check_metadata_consistency: false }
    const answer = await trellis.op('bulk', [{ type: 'run_sql', args: text }])
    assert.deepEqual(answer, [{ result_type: 'CommandOk', result: null }])
  }
  return trellis
}

const as = (role: string, user: string, more: Record<string, string> = {}) => ({
  role,
  headers: { 'x-hasura-user-id': user, ...more },
})

async function useProject(trellis: TestTrellis): Promise<void> {
  const signUp = `mutation {
    insert_users_one(object: {email: "a@b.c", firstName: "Ann", lastName: "Lee", profile: {data: {bio: "Hi", isPublic: true}}}) { id }
  }`
  const created = await trellis.graphql<{ data: { insert_users_one: { id: string } } }>(signUp)
  const { id } = created.data.insert_users_one
  const anonymous = await trellis.graphql(
    'mutation { insert_users(objects: {email: "b@b.c", profile: {data: {bio: "Ho"}}}) { affected_rows } }',
    {},
    { role: 'anonymous' },
  )
  assert.deepEqual(anonymous, { data: { insert_users: { affected_rows: 2 } } })
  await trellis.graphql(`mutation {
    insert_sales_shop_one(object: {name: "Corner", owner_id: "${id}", members: {data: [{user_id: "${id}"}]}, shelves: {data: [
      {code: "a", items: {data: [{title: "Pen", price: "1.50"}, {title: "Ink", price: "12"}]}}
    ]}}) { id }
    insert_t0_one(object: {parent_id: "${id}", Data: {x: [1]}, children: {data: [{Data: null}]}}) { id }
  }`)
  const user = as('user', id, { 'x-hasura-shops': '{1}', 'x-hasura-settings': '{"theme": "light"}' })
  const query = `{
    people(where: {role: {_eq: guest}}) { email firstName full_name profile { bio } memberships { shop { name } } }
    person(id: "${id}") { role settings }
    sales_item(order_by: {shelf: {shop: {name: asc}}, id: asc}) { title price shelf { shop { name } items_aggregate { aggregate { sum { price } } } } }
    sales_search_items(args: {search: "in"}) { title }
    t1 { id parent { Data } }
  }`
  const shelfOf = { shop: { name: 'Corner' }, items_aggregate: { aggregate: { sum: { price: 13.5 } } } }
  assert.deepEqual(await trellis.graphql(query, {}, user), {
    data: {
      people: [
        {
          email: 'a@b.c',
          firstName: 'Ann',
          full_name: 'Ann Lee',
          profile: { bio: 'Hi' },
          memberships: [{ shop: { name: 'Corner' } }],
        },
      ],
      person: { role: 'guest', settings: {} },
      sales_item: [
        { title: 'Pen', price: 1.5, shelf: shelfOf },
        { title: 'Ink', price: 12, shelf: shelfOf },
      ],
      sales_search_items: [{ title: 'Ink' }],
      t1: [{ id: 1, parent: { Data: { x: [1] } } }],
    },
  })
  const update =
    'mutation { update_users(where: {}, _set: {firstName: "Bea"}) { affected_rows returning { firstName settings } } }'
  assert.deepEqual(await trellis.graphql(update, {}, user), {
    data: { update_users: { affected_rows: 1, returning: [{ firstName: 'Bea', settings: { theme: 'light' } }] } },
  })
  const add = (title: string) =>
    trellis.graphql(
      `mutation { insert_sales_item_one(object: {shop_id: 1, shelf_code: "a", title: "${title}"}) { title tags } }`,
      {},
      user,
    )
  assert.deepEqual(await add('Cap'), { data: { insert_sales_item_one: { title: 'Cap', tags: [] } } })
  assert.deepEqual(
    await trellis.graphql('{ sales_item { title } public_profile { bio } }', {}, { role: 'anonymous' }),
    {
      data: { sales_item: [{ title: 'Pen' }], public_profile: [{ bio: 'Hi' }] },
    },
  )
}

test('a project of v1.3 goes through as its tool sends it', async (t) => {
  const trellis = await migrate(t)
  assert.deepEqual(await trellis.op('replace_metadata', mergedV2), { message: 'success' })
  assert.deepEqual(await trellis.op('export_metadata', {}), exported)
  await useProject(trellis)
})

test('a project of later engines goes through as its tool sends it', async (t) => {
  const trellis = await migrate(t)
  const args = { allow_inconsistent_metadata: false, metadata: mergedV3 }
  const report = await trellis.op('replace_metadata', args, { version: 2 })
  const reason = 'the connection of a source is ignored: the server has its own'
  assert.deepEqual(report, {
    is_consistent: true,
    inconsistent_objects: [],
    passed_over: [{ reason, source: 'default' }],
  })
  assert.deepEqual(await trellis.op('export_metadata', {}), exported)
  await useProject(trellis)
})

test('migrations after the metadata keep it in step', async (t) => {
  const trellis = await migrate(t)
  await trellis.op('replace_metadata', mergedV2)
  await trellis.op('run_sql', {
    sql: `alter table sales.shelf rename column code to label; alter table sales.item rename shelf_code to shelf_label;
      alter table users rename column first to given; alter table profile rename to sheet;
      alter table t5 rename to tree`,
  })
  const expected = JSON.parse(
    JSON.stringify(exported)
      .replaceAll('shelf_code', 'shelf_label')
      .replaceAll('"first"', '"given"')
      .replaceAll('"name":"profile"}', '"name":"sheet"}')
      .replaceAll('"name":"t5"', '"name":"tree"'),
  ) as typeof exported
  const tables = (await trellis.op<typeof exported>('export_metadata', {})).tables
  const sorted = (entries: readonly object[]) => entries.map((entry) => JSON.stringify(entry)).sort()
  const canonical = (entries: readonly object[]) => sorted(JSON.parse(JSON.stringify(entries, sortKeys)))
  assert.deepEqual(canonical(tables), canonical(expected.tables))
  const { is_consistent } = await trellis.op<{ is_consistent: boolean }>('get_inconsistent_metadata', {})
  assert.equal(is_consistent, true)
})

const sortKeys = (_key: string, value: unknown): unknown =>
  value && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
