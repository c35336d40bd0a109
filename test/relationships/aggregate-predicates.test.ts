// Conditions on aggregates of related rows: `<relationship>_aggregate` in `where`.

import assert from 'node:assert/strict'
import test from 'node:test'
import { refusalOf } from '../graphql/mutations.ts'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table shop (id int primary key, name text);
  create table sale (id int primary key, shop_id int references shop(id), item text, price float8, weight float8,
                     paid bool, secret bool not null default false, doc json);
  insert into shop values (1, 'a'), (2, 'b'), (3, 'c');
  insert into sale values (1, 1, 'x', 10, 1, true), (2, 1, 'x', 20, 2, true), (3, 1, 'y', 30, 4, false),
                          (4, 2, 'x', 5, 1, true);
  insert into sale values (5, 2, 'z', 1000, 1, true, true)`

test('aggregates of related rows are conditions', async (t) => {
  const trellis = await startTrellis(t, { sql })
  const { op, graphql } = trellis
  await op('track_table', 'shop')
  await op('track_table', 'sale')
  const using = { foreign_key_constraint_on: { table: 'sale', column: 'shop_id' } }
  await op('create_array_relationship', { table: 'shop', name: 'sales', using })
  await op('create_object_relationship', {
    table: 'sale',
    name: 'shop',
    using: { foreign_key_constraint_on: 'shop_id' },
  })
  const shops = async (aggregate: string, options = {}): Promise<unknown> => {
    const where = `where: {sales_aggregate: {${aggregate}}}`
    const body = await graphql<{ data?: { shop: { id: number }[] } }>(
      `{ shop(${where}, order_by: {id: asc}) { id } }`,
      {},
      options,
    )
    return body.data ? body.data.shop.map(({ id }) => id) : refusalOf(body)
  }

  await t.test('count, with columns, distinct and a filter', async () => {
    assert.deepEqual(await shops('count: {predicate: {_gte: 2}}'), [1, 2])
    assert.deepEqual(await shops('count: {predicate: {_eq: 0}}'), [3])
    assert.deepEqual(await shops('count: {predicate: {_in: [0, 3]}}'), [1, 3])
    assert.deepEqual(await shops('count: {predicate: {_gt: 0, _lt: 3}}'), [2])
    assert.deepEqual(await shops('count: {arguments: [item], distinct: true, predicate: {_eq: 2}}'), [1, 2])
    assert.deepEqual(await shops('count: {arguments: [doc], predicate: {_eq: 0}}'), [1, 2, 3])
    assert.deepEqual(await shops('count: {filter: {item: {_eq: "x"}}, predicate: {_eq: 2}}'), [1])
    assert.deepEqual(await shops('count: {filter: {shop: {name: {_eq: "b"}}}, predicate: {_eq: 2}}'), [2])
    assert.deepEqual(
      await shops('count: {filter: {shop: {sales_aggregate: {count: {predicate: {_eq: 3}}}}}, predicate: {_eq: 3}}'),
      [1],
    )
    assert.deepEqual(await shops(''), [1, 2, 3])
  })

  await t.test('booleans and doubles', async () => {
    assert.deepEqual(await shops('bool_and: {arguments: paid, predicate: {_eq: true}}'), [2])
    assert.deepEqual(await shops('bool_or: {arguments: paid, predicate: {_eq: true}}'), [1, 2])
    assert.deepEqual(await shops('bool_and: {arguments: paid, predicate: {_is_null: true}}'), [3])
    assert.deepEqual(await shops('avg: {arguments: price, predicate: {_eq: 20}}'), [1])
    assert.deepEqual(await shops('sum: {arguments: weight, distinct: true, predicate: {_eq: 1}}'), [2])
    assert.deepEqual(
      await shops('max: {arguments: price, predicate: {_gt: 100}}, min: {arguments: price, predicate: {_lt: 6}}'),
      [2],
    )
    assert.deepEqual(await shops('corr: {arguments: {X: price, Y: weight}, predicate: {_gt: 0.9}}'), [1])
    assert.deepEqual(
      await shops('covar_samp: {arguments: {X: price, Y: weight}, distinct: true, predicate: {_gt: 0}}'),
      [1],
    )
    assert.deepEqual(
      await shops(
        'stddev_samp: {arguments: price, predicate: {_eq: 10}}, var_samp: {arguments: price, predicate: {_eq: 100}}',
      ),
      [1],
    )
  })

  await t.test('conditions in changes, aggregates and subscriptions of other rows', async () => {
    const few = 'where: {shop: {sales_aggregate: {count: {predicate: {_lt: 3}}}}}'
    assert.deepEqual(await graphql(`{ sale_aggregate(${few}) { aggregate { count } } }`), {
      data: { sale_aggregate: { aggregate: { count: 2 } } },
    })
    assert.deepEqual(await graphql(`mutation { update_sale(${few}, _inc: {weight: 0}) { affected_rows } }`), {
      data: { update_sale: { affected_rows: 2 } },
    })
  })

  await t.test('a role aggregates the rows that it may see', async () => {
    const permit = (table: string, permission: object) =>
      op('create_select_permission', { table, role: 'clerk', permission })
    await permit('shop', { columns: ['id'], filter: {} })
    const clerk = { role: 'clerk' }
    const unknown = { message: `field "sales_aggregate" not found in type: 'shop_bool_exp'`, code: 'validation-failed' }
    const path = '$.selectionSet.shop.args.where.sales_aggregate'
    const filter = { secret: { _eq: false } }
    assert.deepEqual(await shops('count: {predicate: {_eq: 1}}', clerk), { ...unknown, path })
    await permit('sale', { columns: ['id', 'item', 'weight'], filter })
    assert.deepEqual(await shops('count: {predicate: {_eq: 1}}', clerk), { ...unknown, path })
    await op('drop_select_permission', { table: 'sale', role: 'clerk' })
    await permit('sale', { columns: ['id', 'item', 'weight'], filter, allow_aggregations: true, limit: 1 })
    assert.deepEqual(await shops('count: {predicate: {_eq: 1}}', clerk), [2])
    assert.deepEqual(await shops('count: {filter: {item: {_eq: "z"}}, predicate: {_gt: 0}}', clerk), [])
    assert.equal(
      ((await shops('max: {arguments: price, predicate: {_gt: 100}}', clerk)) as { code: string }).code,
      'validation-failed',
    )
    assert.equal(
      ((await shops('bool_and: {arguments: paid, predicate: {_eq: true}}', clerk)) as { message: string }).message,
      `field "bool_and" not found in type: 'sale_aggregate_bool_exp'`,
    )
    assert.equal(
      ((await shops('count: {filter: {price: {_gt: 1}}, predicate: {_gt: 0}}', clerk)) as { message: string }).message,
      `field "price" not found in type: 'sale_bool_exp'`,
    )
  })

  await t.test('permissions and data operations have them', async () => {
    const allow = async (role: string, filter: unknown, sees: string[] = ['id']) => {
      await op('create_select_permission', { table: 'shop', role, permission: { columns: sees, filter } })
      const headers = { 'x-service-least': '3', 'x-service-item': 'x' }
      const { data } = await graphql<{ data: { shop: { id: number }[] } }>(
        '{ shop(order_by: {id: asc}) { id } }',
        {},
        { role, headers },
      )
      return data.shop.map(({ id }) => id)
    }
    const count = (aggregate: object) => ({ sales_aggregate: { count: aggregate } })
    assert.deepEqual(await allow('a', count({ predicate: { _gte: 'X-Service-Least' } })), [1])
    const two = { arguments: ['item'], distinct: true, filter: { secret: false }, predicate: { $eq: 2 } }
    assert.deepEqual(await allow('b', { $and: [count(two)] }), [1])
    assert.deepEqual(await allow('c', count({ filter: { item: 'X-Service-Item' }, predicate: 0 })), [3])
    const max = { arguments: 'price', predicate: { _gt: 100 } }
    assert.deepEqual(
      await allow('d', { sales_aggregate: { max, bool_and: { arguments: 'paid', predicate: { _eq: true } } } }),
      [2],
    )
    const corr = { arguments: { X: 'price', Y: 'weight' }, predicate: { _gt: 0.9 } }
    assert.deepEqual(await allow('e', { _not: { sales_aggregate: { corr } } }), [])
    const later = count({ filter: { id: { _cgt: ['$', 'id'] } }, predicate: { _gt: 2 } })
    assert.deepEqual(await allow('f', later, ['id', 'name']), [])
    assert.deepEqual(await allow('g', count({ filter: { id: { _cgt: ['$', 'id'] } }, predicate: { _gte: 2 } })), [1, 2])
    const select = async (where: unknown, options = {}) =>
      (await op<{ id: number }[]>('select', { table: 'shop', columns: ['id'], where, order_by: 'id' }, options)).map(
        ({ id }) => id,
      )
    assert.deepEqual(await select(count({ predicate: { $lt: 3 } })), [2, 3])

    const refused = async (aggregates: unknown) => {
      const permission = { columns: ['id'], filter: { sales_aggregate: aggregates } }
      const { body } = await trellis.opError('create_select_permission', { table: 'shop', role: 'z', permission })
      return (body as { error: string }).error.replace(/^.*: (?=\S* ?(has|unknown|key|unexpected|an |parsing|"))/, '')
    }
    assert.match(await refused({ median: { predicate: 1 } }), /unknown aggregate "median"/)
    assert.match(await refused({ count: {} }), /key "predicate" not found/)
    assert.match(await refused({ count: { predicate: 1, limit: 2 } }), /unexpected key "limit" in an aggregate/)
    assert.match(await refused({ count: { predicate: { _ceq: 'id' } } }), /cannot be compared with a column: _ceq/)
    assert.match(
      await refused({ count: { arguments: ['doc'], distinct: true, predicate: 1 } }),
      /"doc" has type 'json' and cannot be used in a distinct count/,
    )
    assert.match(
      await refused({ avg: { arguments: 'item', predicate: 1 } }),
      /"item" has type 'text' and cannot be an argument of "avg"/,
    )
    assert.match(await refused({ avg: { predicate: 1 } }), /parsing Text failed/)
    assert.match(await refused({ count: { arguments: ['nothing'], predicate: 1 } }), /"nothing" does not exist/)
    assert.match(await refused([]), /parsing Object failed/)

    const hidden = await trellis.opError(
      'select',
      { table: 'shop', columns: ['id'], where: count({ predicate: 1 }) },
      { role: 'a' },
    )
    const unknown = await trellis.opError(
      'select',
      { table: 'shop', columns: ['id'], where: { nothings: {} } },
      { role: 'a' },
    )
    assert.deepEqual(hidden, JSON.parse(JSON.stringify(unknown).replaceAll('nothings', 'sales_aggregate')))

    await op('rename_relationship', { table: 'shop', name: 'sales', new_name: 'orders' })
    await op('run_sql', { sql: 'alter table sale rename item to thing' })
    const exported = JSON.stringify(await op('export_metadata', {}))
    const renamed = { arguments: ['thing'], distinct: true, filter: { secret: false }, predicate: { $eq: 2 } }
    assert.ok(exported.includes(JSON.stringify({ orders_aggregate: { count: renamed } })), exported)
    await op('run_sql', { sql: 'alter table sale rename thing to item' })
    await op('rename_relationship', { table: 'shop', name: 'orders', new_name: 'sales' })
    const dropped = await trellis.opError('drop_relationship', { table: 'shop', relationship: 'sales' })
    assert.equal((dropped.body as { code: string }).code, 'dependency-error')
  })

  await t.test('a subscription follows the rows that it aggregates', async () => {
    const where = 'where: {sales_aggregate: {count: {filter: {item: {_eq: "new"}}, predicate: {_gt: 0}}}}'
    const received = subscribeWith(graphqlWsClient(t, trellis.url), `subscription { shop(${where}) { id } }`)
    await received.atLeast(1)
    await graphql('mutation { insert_sale_one(object: {id: 90, shop_id: 3, item: "new"}) { id } }')
    await received.atLeast(2)
    await graphql('mutation { delete_sale_by_pk(id: 90) { id } }')
    await received.atLeast(3)
    assert.deepEqual(
      received.items,
      [[], [{ id: 3 }], []].map((shop) => ({ data: { shop } })),
    )
  })

  await t.test('each aggregate of a request has its cost', async () => {
    const one = '{sales_aggregate: {count: {predicate: {_gt: 1}}}}'
    const several =
      '{sales_aggregate: {count: {predicate: {_gt: 1}}, max: {arguments: price, predicate: {_gt: 1}}, min: {arguments: price, predicate: {_gt: 1}}}}'
    for (const [condition, times] of [
      [one, 500],
      [several, 200],
    ] as const) {
      const refused = refusalOf(await graphql(`{ shop(where: {_or: [${condition.repeat(times)}]}) { id } }`))
      assert.equal(refused.code, 'cost-limit-exceeded')
    }
    const shown = await graphql(`{ shop(where: {_or: [${one.repeat(300)}]}, order_by: {id: asc}) { id } }`)
    assert.deepEqual(shown, { data: { shop: [{ id: 1 }, { id: 2 }] } })
    const { status, body } = await trellis.request('/v1/graphql/explain', {
      body: { query: { query: `{ shop(where: ${one}) { id } }` } },
    })
    assert.equal(status, 200, JSON.stringify(body))
  })

  await t.test('options leave these conditions, and lists of updates, out of the schema', async () => {
    const settings = { hideAggregationPredicates: true, hideUpdateManyFields: true }
    const { graphql: ask } = await startTrellis(t, { database: trellis.database, settings })
    const condition = await ask('{ shop(where: {sales_aggregate: {}}) { id } }')
    assert.equal(refusalOf(condition).message, `field "sales_aggregate" not found in type: 'shop_bool_exp'`)
    const many = refusalOf(await ask('mutation { update_shop_many(updates: []) { affected_rows } }'))
    assert.equal(many.message, `field "update_shop_many" not found in type: 'mutation_root'`)
  })

  await t.test('PostgreSQL plans deep conditions quickly', async () => {
    await trellis.sql(
      `do $$ begin execute format('alter database %I set statement_timeout = 5000', current_database()); end $$`,
    )
    const { graphql: ask } = await startTrellis(t, { database: trellis.database })
    const nested = (levels: number): string => {
      if (levels === 0) return '{paid: {_eq: true}}'
      const sales = `{sales_aggregate: {count: {filter: ${nested(levels - 1)}, predicate: {_gt: 0}}}}`
      return `{_or: [{id: {_eq: 4}}, {shop: {_or: [{id: {_eq: 3}}, ${sales}]}}]}`
    }
    const answer = await ask(`{ sale(where: ${nested(14)}, order_by: {id: asc}) { id } }`)
    assert.deepEqual(answer, { data: { sale: [1, 2, 3, 4, 5].map((id) => ({ id })) } })
  })

  await t.test('wrong conditions are refused at their places', async () => {
    const path = '$.selectionSet.shop.args.where.sales_aggregate'
    const code = 'validation-failed'
    assert.deepEqual(await shops('count: {}'), {
      message: 'missing required field "predicate"',
      path: `${path}.count.predicate`,
      code,
    })
    assert.deepEqual(await shops('count: null'), {
      message: 'expected an object for type "sale_aggregate_bool_exp_count", but found null',
      path: `${path}.count`,
      code,
    })
    assert.deepEqual(await shops('count: {arguments: [doc], distinct: true, predicate: {_eq: 1}}'), {
      message: `"doc" has type 'json' and cannot be used in a distinct count`,
      path: `${path}.count.arguments[0]`,
      code,
    })
    assert.equal(((await shops('avg: {arguments: item, predicate: {_eq: 1}}')) as { code: string }).code, code)
    assert.equal(((await shops('count: {predicate: {_eq: "x"}}')) as { code: string }).code, code)
  })
})
