import assert from 'node:assert/strict'
import test from 'node:test'
import { startTrellis } from '../support/trellis.ts'
import { refusalOf } from './mutations.ts'

const role = 'clerk'
const clerk = { role, headers: { 'x-service-user-id': '7' } }

const sql = `
  create table item (id int primary key, name text not null, price int not null default 0, owner int, editor int);
  create table part (id int primary key, item_id int not null references item(id), label text);
  create table item_updates (id int primary key);
  insert into item (id, name, price, owner) values (1, 'a', 10, 7), (2, 'b', 20, 7), (3, 'c', 30, 8);
  insert into part values (1, 1, 'bolt'), (2, 1, 'nut'), (3, 3, 'rod')`

test('update_T_many runs its updates in order, in one transaction', async (t) => {
  const trellis = await startTrellis(t, { sql })
  await trellis.op('track_table', 'item')
  await trellis.op('track_table', 'part')
  await trellis.op('create_array_relationship', {
    table: 'item',
    name: 'parts',
    using: { foreign_key_constraint_on: { table: 'part', column: 'item_id' } },
  })
  const rows = async () => trellis.sql('select id, name, price, owner, editor from item order by id')
  const initial = await rows()

  await t.test('each update sees the results of the earlier ones', async () => {
    const answer = await trellis.graphql(`mutation {
      update_item_many(updates: [
        {where: {price: {_lte: 10}}, _inc: {price: 10}}
        {where: {price: {_eq: 20}}, _inc: {price: 1}, _set: {name: "n"}}
        {where: {name: {_eq: "none"}}, _set: {price: 0}}
      ]) { affected_rows returning { id price } __typename }
    }`)
    const __typename = 'item_mutation_response'
    assert.deepEqual(answer, {
      data: {
        update_item_many: [
          { affected_rows: 1, returning: [{ id: 1, price: 20 }], __typename },
          {
            affected_rows: 2,
            returning: [
              { id: 2, price: 21 },
              { id: 1, price: 21 },
            ],
            __typename,
          },
          { affected_rows: 0, returning: [], __typename },
        ],
      },
    })
  })

  await t.test('answers with related rows are read after each update', async () => {
    const query = `mutation ($updates: [item_updates!]!) {
      update_item_many(updates: $updates) { returning { name parts_aggregate { aggregate { count } } } }
    }`
    const updates = [1, 2].map((id) => ({ where: { id: { _eq: id } }, _set: { name: `i${id}` } }))
    const returning = (name: string, count: number) => [{ name, parts_aggregate: { aggregate: { count } } }]
    assert.deepEqual(await trellis.graphql(query, { updates }), {
      data: { update_item_many: [{ returning: returning('i1', 2) }, { returning: returning('i2', 0) }] },
    })
    assert.deepEqual(await trellis.graphql(query, { updates: [] }), { data: { update_item_many: [] } })
    assert.deepEqual(await trellis.graphql(query, { updates: updates[1] }), {
      data: { update_item_many: [{ returning: returning('i2', 0) }] },
    })
  })

  await t.test('an update without changes does nothing among others', async () => {
    const answer = await trellis.graphql(`mutation {
      update_item_many(updates: [{where: {}, _set: {}}, {where: {id: {_eq: 3}}, _set: {price: 5}}]) { affected_rows }
      only: update_item_many(updates: {where: {}, _set: {}}) { affected_rows }
      __typename
    }`)
    const data = { update_item_many: [{ affected_rows: 0 }, { affected_rows: 1 }], only: [{ affected_rows: 0 }] }
    assert.deepEqual(answer, { data: { ...data, __typename: 'mutation_root' } })
  })

  await t.test('an error of one update undoes all', async () => {
    const before = await rows()
    const answer = await trellis.graphql(`mutation {
      update_item_many(updates: [
        {where: {}, _set: {price: 1}}, {where: {}, _inc: {price: 2147483647}}, {where: {}, _set: {name: "x"}}
      ]) { affected_rows }
    }`)
    assert.deepEqual(refusalOf(answer), { message: 'integer out of range', path: '$', code: 'data-exception' })
    assert.deepEqual(await rows(), before)
  })

  await t.test('wrong updates are refused at their places', async () => {
    const refused = async (updates: string) =>
      refusalOf(await trellis.graphql(`mutation { update_item_many(updates: ${updates}) { affected_rows } }`))
    const path = '$.selectionSet.update_item_many.args.updates'
    const code = 'validation-failed'
    assert.deepEqual(await refused('[{where: {}, _set: {price: 1}}, {where: {}}]'), {
      message: 'at least any one of _set, _inc is expected',
      path: `${path}[1]`,
      code,
    })
    assert.deepEqual(await refused('[{_set: {price: 1}}]'), {
      message: 'missing required field "where"',
      path: `${path}[0].where`,
      code,
    })
    assert.deepEqual(await refused('[{where: {}, _set: {price: 1}, _inc: {price: 1}}]'), {
      message: 'column found in multiple operators; "price" in _set, _inc',
      path: `${path}[0]`,
      code,
    })
    assert.deepEqual(await refused('null'), {
      message: 'expected a list, but found null',
      path,
      code,
    })
    const many = Array.from({ length: 1200 }, () => '{where: {}, _set: {price: 1}}')
    assert.equal((await refused(`[${many.join(',')}]`)).code, 'cost-limit-exceeded')
  })

  await t.test('filter, check, presets and backend_only of the permission apply to each update', async () => {
    await trellis.sql(`update item set name = i.name, price = i.price from (values (1, 'a', 10), (2, 'b', 20), (3, 'c', 30))
                       as i (id, name, price) where item.id = i.id`)
    assert.deepEqual(await rows(), initial)
    const permission = {
      columns: ['name', 'price'],
      filter: { owner: { _eq: 'X-Service-User-Id' } },
      check: { price: { _lt: 100 } },
      set: { editor: 'x-service-user-id' },
    }
    await trellis.op('create_update_permission', { table: 'item', role, permission })
    const query = `mutation ($to: Int!) {
      update_item_many(updates: [{where: {}, _set: {price: 50}}, {where: {}, _set: {price: $to}}]) { affected_rows }
    }`
    // Without a select permission the role has no conditions but the empty one, and nothing to return.
    assert.deepEqual(await trellis.graphql(query, { to: 99 }, clerk), {
      data: { update_item_many: [{ affected_rows: 2 }, { affected_rows: 2 }] },
    })
    assert.deepEqual(refusalOf(await trellis.graphql(query, { to: 100 }, clerk)), {
      message: 'Check constraint violation. update check constraint failed',
      path: '$',
      code: 'permission-error',
    })
    assert.deepEqual(await rows(), [
      { id: 1, name: 'a', price: 99, owner: 7, editor: 7 },
      { id: 2, name: 'b', price: 99, owner: 7, editor: 7 },
      { id: 3, name: 'c', price: 30, owner: 8, editor: null },
    ])
    await trellis.op('drop_update_permission', { table: 'item', role })
    assert.equal(refusalOf(await trellis.graphql(query, { to: 1 }, clerk)).message, `no mutations exist`)
  })

  await t.test('the field can be renamed, and tables and types take precedence over its names', async () => {
    const custom_root_fields = { update_many: { name: 'change_items', comment: 'Many.' } }
    await trellis.op('set_table_custom_fields', { table: 'item', custom_root_fields }, { version: 2 })
    const one = '(updates: [{where: {id: {_eq: 1}}, _set: {price: 1}}]) { affected_rows }'
    assert.deepEqual(await trellis.graphql(`mutation { change_items${one} }`), {
      data: { change_items: [{ affected_rows: 1 }] },
    })
    assert.deepEqual(await trellis.graphql(`mutation { update_item_many${one} }`, {}, { path: '/v1beta1/relay' }), {
      data: { update_item_many: [{ affected_rows: 1 }] },
    })
    await trellis.op('track_table', 'item_updates')
    assert.equal(
      refusalOf(await trellis.graphql(`mutation { change_items${one} }`)).message,
      `field "change_items" not found in type: 'mutation_root'`,
    )
    const { data } = await trellis.graphql<{ data: { __type: { kind: string } } }>(
      '{ __type(name: "item_updates") { kind } }',
    )
    assert.equal(data.__type.kind, 'OBJECT')
  })
})

test('updates of different rows by key are one statement, if their order has no effect', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `
      create table stock (id int primary key, name text, amount int, slot int unique);
      insert into stock select i, 'n' || i, i, i from generate_series(1, 4) as i;
      create table shelf (hall text, number bigint, label text, primary key (hall, number));
      insert into shelf values ('a', 1, 'x'), ('a', 2, 'y')`,
  })
  await trellis.op('track_tables', {})
  await trellis.op('create_select_permission', {
    table: 'stock',
    role,
    permission: { columns: ['id', 'amount'], filter: {} },
  })
  await trellis.op('create_update_permission', {
    table: 'stock',
    role,
    permission: { columns: ['amount'], filter: { id: { _lt: 4 } }, check: { amount: { _lt: 100 } } },
  })
  const query = `mutation ($updates: [stock_updates!]!) {
    update_stock_many(updates: $updates) { affected_rows returning { id amount } }
  }`
  type Answer = { data: { update_stock_many: object[] } }
  const update = async (updates: object[], options = {}) => {
    const { data } = await trellis.graphql<Answer>(query, { updates }, options)
    return data.update_stock_many
  }
  const add = (id: unknown, amount: unknown, more = {}) => ({
    where: { id: { _eq: id }, ...more },
    _inc: { amount },
  })
  const changed = (id: number, amount: number) => ({ affected_rows: 1, returning: [{ id, amount }] })
  const nothing = { affected_rows: 0, returning: [] }
  /** The number of statements of its transaction that wrote the rows. */
  const statements = async (table = 'stock') =>
    (
      await trellis.sql(
        `select count(distinct cmin::text)::int from ${table} where xmin = (select max(xmin::text)::xid from ${table})`,
      )
    )[0]!['count']

  await t.test('answers stand in the order of the updates', async () => {
    const answer = [changed(3, 13), nothing, changed(1, 11)]
    assert.deepEqual(await update([add(3, 10), add(9, 1), add(1, 10)]), answer)
    assert.equal(await statements(), 1)
    const guarded = [add(3, 1, { amount: { _eq: 13 } }), add(1, 1, { amount: { _eq: 0 } })]
    assert.deepEqual(await update(guarded), [changed(3, 14), nothing])
    const text = 'update_shelf_many(updates: [{where: {hall: {_eq: "a"}, number: {_eq: "2"}}, _set: {label: "p"}}'
    const other = '{where: {hall: {_eq: "a"}, number: {_eq: 1}}, _set: {label: null}}]) { returning { number label } }'
    assert.deepEqual(await trellis.graphql(`mutation { ${text}, ${other} }`), {
      data: {
        update_shelf_many: [{ returning: [{ number: 2, label: 'p' }] }, { returning: [{ number: 1, label: null }] }],
      },
    })
    assert.equal(await statements('shelf'), 1)
  })

  await t.test('the permission of a role holds for each', async () => {
    assert.deepEqual(await update([add(4, 1), add(2, 1)], clerk), [nothing, changed(2, 3)])
    const before = await trellis.sql('select * from stock order by id')
    const refused = await trellis.graphql(query, { updates: [add(1, 1), add(2, 100)] }, clerk)
    assert.equal(refusalOf(refused).code, 'permission-error')
    assert.deepEqual(await trellis.sql('select * from stock order by id'), before)
    const hidden = refusalOf(await trellis.graphql(query, { updates: [add(1, 1), add(4, 2147483648)] }, clerk))
    assert.equal(hidden.path, '$.selectionSet.update_stock_many.args.updates[1]._inc.amount')
  })

  await t.test('they run in order where a later one depends on an earlier one', async () => {
    await trellis.sql('update stock set amount = id')
    assert.deepEqual(await update([add(1, 1), add(2, 1), add(1, 5)]), [changed(1, 2), changed(2, 3), changed(1, 7)])
    const move = (id: number, slot: number | null) => ({ where: { id: { _eq: id } }, _set: { slot } })
    const moves = [move(1, 9), move(2, 1), move(3, 2)]
    assert.deepEqual(await update(moves), [changed(1, 7), changed(2, 3), changed(3, 3)])
    assert.deepEqual(await trellis.sql('select slot from stock where id < 4 order by id'), [
      { slot: 9 },
      { slot: 1 },
      { slot: 2 },
    ])
    assert.equal(await statements(), 3)
    const rename = [
      { where: { id: { _eq: 1 } }, _set: { id: 11 } },
      { where: { id: { _eq: 11 } }, _set: { id: 12 } },
    ]
    assert.deepEqual(await update(rename), [changed(11, 7), changed(12, 7)])
    await trellis.sql(`create function copy() returns trigger language plpgsql as $$ begin
        update stock set name = new.name where id <> new.id and name <> new.name; return new; end $$;
      create trigger copied after update of amount on stock for each row execute function copy()`)
    await update([add(3, 1), add(2, 1)])
    assert.deepEqual(await trellis.sql('select distinct name from stock'), [{ name: 'n3' }])
  })
})
