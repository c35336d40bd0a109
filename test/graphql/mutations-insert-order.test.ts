import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { refusalOf } from './mutations.ts'

const sql = `
  create table account (id serial primary key, email text not null unique, plan text);
  create table profile (
    account_id int primary key references account, name text not null, clerk text,
    badge text unique, check (name <> 'nobody')
  );
  create table photo (id serial primary key, account_id int references profile, url text not null);
  create table flat (house int, door int, note text, primary key (house, door));
  create table tenant (house int, door int, name text, foreign key (house, door) references flat, unique (house, door))`

const manually = (remote_table: string, column_mapping: object, order?: object) => ({
  manual_configuration: { remote_table, column_mapping, ...order },
})

/** Accounts with at most one profile each, by a manual configuration and by the profile's foreign key. */
async function startOffice(t: TestContext): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql })
  for (const table of ['account', 'profile', 'photo', 'flat', 'tenant']) await trellis.op('track_table', table)
  const object = (table: string, name: string, using: object) =>
    trellis.op('create_object_relationship', { table, name, using })
  const byColumn = { foreign_key_constraint_on: { table: 'profile', column: 'account_id' } }
  const byColumns = { foreign_key_constraint_on: { table: 'tenant', columns: ['door', 'house'] } }
  await object('account', 'profile', manually('profile', { id: 'account_id' }, { insertion_order: 'after_parent' }))
  await object('account', 'sheet', byColumn)
  await object('flat', 'tenant', byColumns)
  await object('tenant', 'flat', { foreign_key_constraint_on: ['house', 'door'] })
  await object('profile', 'account', manually('account', { account_id: 'id' }, { insertion_order: 'before_parent' }))
  const photos = { foreign_key_constraint_on: { table: 'photo', columns: ['account_id'] } }
  await trellis.op('create_array_relationship', { table: 'profile', name: 'photos', using: photos })
  return trellis
}

const rows = (trellis: TestTrellis) =>
  trellis.sql('select a.id, a.email, p.name from account a left join profile p on p.account_id = a.id order by a.id')

test("an object that holds the foreign key is inserted after the row, with the row's values", async (t) => {
  const trellis = await startOffice(t)
  for (const [i, name] of ['profile', 'sheet'].entries()) {
    const answer = await trellis.graphql(`mutation { insert_account(objects: [
      {email: "a${i}", ${name}: {data: {name: "Ann", photos: {data: [{url: "1"}, {url: "2"}]}}}},
      {email: "b${i}"}
    ]) { affected_rows returning { email ${name} { account_id name photos(order_by: {id: asc}) { url } } } } }`)
    const data = { account_id: 2 * i + 1, name: 'Ann', photos: [{ url: '1' }, { url: '2' }] }
    const returning = [
      { email: `a${i}`, [name]: data },
      { email: `b${i}`, [name]: null },
    ]
    assert.deepEqual(answer, { data: { insert_account: { affected_rows: 5, returning } } })
  }
  const one = await trellis.graphql(
    'mutation ($o: account_insert_input!) { insert_account_one(object: $o) { id profile { name } } }',
    { o: { email: 'c', profile: { data: { name: 'Cid' } } } },
  )
  assert.deepEqual(one, { data: { insert_account_one: { id: 5, profile: { name: 'Cid' } } } })
})

test('an object inserted before the row gives it its key', async (t) => {
  const trellis = await startOffice(t)
  const answer = await trellis.graphql(`mutation {
    insert_profile_one(object: {name: "Ann", account: {data: {email: "a"}}}) { account_id account { email } }
    insert_tenant_one(object: {name: "Bea", flat: {data: {house: 1, door: 2}}}) { house door flat { house door } }
    insert_flat_one(object: {house: 3, door: 4, tenant: {data: {name: "Cid"}}}) { tenant { house door name } }
  }`)
  assert.deepEqual(answer, {
    data: {
      insert_profile_one: { account_id: 1, account: { email: 'a' } },
      insert_tenant_one: { house: 1, door: 2, flat: { house: 1, door: 2 } },
      insert_flat_one: { tenant: { house: 3, door: 4, name: 'Cid' } },
    },
  })
})

test('both orders in one row: each side receives the values of the other', async (t) => {
  const trellis = await startOffice(t)
  const answer = await trellis.graphql(`mutation {
    insert_profile_one(object: {
      name: "Ann"
      account: {data: {email: "a"}}
      photos: {data: [{url: "1"}]}
    }) { account_id photos { account_id url } }
  }`)
  assert.deepEqual(answer, {
    data: { insert_profile_one: { account_id: 1, photos: [{ account_id: 1, url: '1' }] } },
  })
  const given = await trellis.graphql(`mutation {
    insert_account_one(object: {email: "b", profile: {data: {name: "Bea", account: {data: {email: "c"}}}}}) { id }
  }`)
  assert.deepEqual(refusalOf(given), {
    message: 'cannot insert object relation ship "account" as "account_id" column values are already determined',
    path: '$.selectionSet.insert_account_one.args.object[0].profile.data.account',
    code: 'validation-failed',
  })
})

test("an object after the row cannot set the row's values, nor follow a skipped row", async (t) => {
  const trellis = await startOffice(t)
  await trellis.sql(`insert into account (email) values ('a')`)
  const refused = async (objects: string, conflict = '') =>
    refusalOf(await trellis.graphql(`mutation { x: insert_account(objects: ${objects}${conflict}) { affected_rows } }`))
  assert.deepEqual(await refused('[{email: "b"}, {email: "c", profile: {data: {account_id: 7, name: "Cid"}}}]'), {
    message: 'cannot insert "account_id" columns as their values are already being determined by parent insert',
    path: '$.selectionSet.insert_account.args.objects[1].profile.data',
    code: 'validation-failed',
  })
  const skip = ', on_conflict: {constraint: account_email_key, update_columns: []}'
  assert.deepEqual(await refused('[{email: "b"}, {email: "a", profile: {data: {name: "Ann"}}}]', skip), {
    message: 'cannot proceed to insert array relations since insert to table "account" affects zero rows',
    path: '$.selectionSet.insert_account.args.objects[1]',
    code: 'not-supported',
  })
  const { message: _, ...place } = await refused('[{email: "b", profile: {data: {name: "nobody"}}}]')
  assert.deepEqual(place, {
    path: '$.selectionSet.insert_account.args.objects[0].profile.data',
    code: 'permission-error',
  })
  assert.deepEqual(await rows(trellis), [{ id: 1, email: 'a', name: null }])
})

test('on_conflict of an object after the row skips or updates it', async (t) => {
  const trellis = await startOffice(t)
  await trellis.sql(`insert into account (email) values ('a'); insert into profile values (1, 'Ann', null, 'x')`)
  const insert = (update: string) =>
    trellis.graphql(`mutation {
      insert_account(
        objects: [{email: "a", plan: "free", profile: {
          data: {name: "Bea", badge: "x"}, on_conflict: {constraint: profile_pkey, update_columns: [${update}]}
        }}]
        on_conflict: {constraint: account_email_key, update_columns: [plan]}
      ) { affected_rows returning { id plan profile { name } } }
    }`)
  const answered = (affected_rows: number, name: string) => ({
    data: { insert_account: { affected_rows, returning: [{ id: 1, plan: 'free', profile: { name } }] } },
  })
  assert.deepEqual(await insert(''), answered(1, 'Ann'))
  assert.deepEqual(await insert('name'), answered(2, 'Bea'))
})

test('permissions of both tables apply, including presets and checks', async (t) => {
  const trellis = await startOffice(t)
  const permit = (kind: string, table: string, permission: object) =>
    trellis.op(`create_${kind}_permission`, { table, role: 'clerk', permission })
  await permit('insert', 'account', { check: {}, columns: ['email'] })
  await permit('select', 'account', { columns: ['id'], filter: {} })
  const insert = { check: { name: { _eq: 'X-Service-User-Id' } }, columns: ['name', 'account_id'] }
  const clerk = { headers: { 'x-service-role': 'clerk', 'x-service-user-id': 'ann' } }
  const mutation = (name: string) =>
    trellis.graphql(
      `mutation { insert_account_one(object: {email: "a", profile: {data: {name: "${name}"}}}) { id } }`,
      {},
      clerk,
    )
  assert.deepEqual(refusalOf(await mutation('ann')), {
    message: 'field "profile" not found in type: \'account_insert_input\'',
    path: '$.selectionSet.insert_account_one.args.object.profile',
    code: 'validation-failed',
  })
  await permit('insert', 'profile', { ...insert, set: { account_id: 99, clerk: 'x-service-user-id' } })
  assert.deepEqual(refusalOf(await mutation('bob')), {
    message: 'Check constraint violation. insert check constraint failed',
    path: '$.selectionSet.insert_account_one.args.object[0].profile.data',
    code: 'permission-error',
  })
  assert.deepEqual(await mutation('ann'), { data: { insert_account_one: { id: 2 } } })
  assert.deepEqual(await trellis.sql('select account_id, name, clerk from profile'), [
    { account_id: 2, name: 'ann', clerk: 'ann' },
  ])
})
