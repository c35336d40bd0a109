import assert from 'node:assert/strict'
import test from 'node:test'
import { startChinook } from '../support/chinook.ts'
import type { TestTrellis } from '../support/trellis.ts'

const text = async (trellis: TestTrellis, query: string): Promise<unknown> => {
  const [row] = await trellis.sql<{ answer: string }>(`select (${query})::text as answer`)
  return JSON.parse(row!.answer)
}

test('a query four levels deep answers the same as plain SQL', async (t) => {
  const trellis = await startChinook(t)
  const answer = await trellis.graphql(`{
    artist(order_by: {artist_id: asc}) {
      artist_id
      name
      albums(order_by: {album_id: asc}) {
        title
        tracks(order_by: {track_id: asc}) {
          name
          unit_price
          genre { name }
          invoice_lines_aggregate { aggregate { count sum { quantity } max { unit_price } } }
        }
      }
    }
  }`)
  const expected = await text(
    trellis,
    `select json_agg(json_build_object('artist_id', a.artist_id, 'name', a.name, 'albums', coalesce((
       select json_agg(json_build_object('title', b.title, 'tracks', coalesce((
         select json_agg(json_build_object(
           'name', t.name, 'unit_price', t.unit_price,
           'genre', (select json_build_object('name', g.name) from genre g where g.genre_id = t.genre_id),
           'invoice_lines_aggregate', (select json_build_object('aggregate', json_build_object(
              'count', count(*), 'sum', json_build_object('quantity', sum(l.quantity)),
              'max', json_build_object('unit_price', max(l.unit_price))))
              from invoice_line l where l.track_id = t.track_id)
         ) order by t.track_id) from track t where t.album_id = b.album_id), '[]'::json))
       order by b.album_id) from album b where b.artist_id = a.artist_id), '[]'::json))
     order by a.artist_id) from artist a`,
  )
  assert.deepEqual(answer, { data: { artist: expected } })
})

test('ordering by related rows and by aggregates is the same as in plain SQL', async (t) => {
  const trellis = await startChinook(t)
  const answer = await trellis.graphql<{ data: { track: unknown; artist: unknown } }>(`{
    track(order_by: [{album: {artist: {name: desc}}}, {track_id: asc}], limit: 30, offset: 10) { track_id }
    artist(order_by: [{albums_aggregate: {count: desc}}, {artist_id: asc}], limit: 5) { name }
  }`)
  const tracks = await trellis.sql(`select track_id from track t left join album b using (album_id)
    left join artist a using (artist_id) order by a.name desc nulls first, track_id limit 30 offset 10`)
  const artists = await trellis.sql(`select name from artist a
    order by (select count(*) from album b where b.artist_id = a.artist_id) desc, artist_id limit 5`)
  assert.deepEqual(answer.data, { track: tracks, artist: artists })
})

/** A customer reads its own invoices and their lines, and inserts only its own. */
async function allowCustomers(trellis: TestTrellis) {
  const own = { customer_id: { _eq: 'X-Service-Customer-Id' } }
  const ofOwn = { invoice: own }
  await trellis.op('bulk', [
    {
      type: 'create_select_permission',
      args: {
        table: 'invoice',
        role: 'customer',
        permission: {
          columns: ['invoice_id', 'customer_id', 'invoice_date', 'total'],
          filter: own,
          allow_aggregations: true,
        },
      },
    },
    {
      type: 'create_select_permission',
      args: {
        table: 'invoice_line',
        role: 'customer',
        permission: {
          columns: ['invoice_line_id', 'invoice_id', 'track_id', 'quantity'],
          filter: ofOwn,
          allow_aggregations: true,
        },
      },
    },
    {
      type: 'create_select_permission',
      args: { table: 'track', role: 'customer', permission: { columns: ['track_id', 'name'], filter: {} } },
    },
    {
      type: 'create_insert_permission',
      args: {
        table: 'invoice',
        role: 'customer',
        permission: { check: own, columns: ['customer_id', 'invoice_date', 'total'] },
      },
    },
  ])
}

const asCustomer = (id: number) => ({ role: 'customer', headers: { 'x-service-customer-id': String(id) } })

test('a customer sees only its own invoices and lines, on every path', async (t) => {
  const trellis = await startChinook(t)
  await allowCustomers(trellis)
  const ask = (query: string) => trellis.graphql<{ data: never }>(query, undefined, asCustomer(5))
  const own = await trellis.sql(`select invoice_id from invoice where customer_id = 5 order by 1`)
  const [foreign] = await trellis.sql<{ invoice_id: number }>(
    `select invoice_id from invoice where customer_id = 6 limit 1`,
  )
  const [{ lines }] = (await trellis.sql<{ lines: number }>(
    `select count(*)::int as lines from invoice_line join invoice using (invoice_id) where customer_id = 5`,
  )) as [{ lines: number }]

  assert.deepEqual(await ask('{ invoice(order_by: {invoice_id: asc}) { invoice_id } }'), { data: { invoice: own } })
  assert.deepEqual(await ask(`{ invoice_by_pk(invoice_id: ${foreign!.invoice_id}) { total } }`), {
    data: { invoice_by_pk: null },
  })
  assert.deepEqual(await ask('{ invoice_line_aggregate { aggregate { count } } }'), {
    data: { invoice_line_aggregate: { aggregate: { count: lines } } },
  })
  assert.deepEqual(await ask('{ invoice_line(where: {invoice: {customer_id: {_eq: 6}}}) { quantity } }'), {
    data: { invoice_line: [] },
  })
  const nested = await ask(`{ track(where: {invoice_lines: {}}, order_by: {track_id: asc}) {
    invoice_lines { invoice { customer_id } } } }`)
  const owners = (nested.data as { track: { invoice_lines: { invoice: { customer_id: number } }[] }[] }).track
  assert.equal(owners.flatMap(({ invoice_lines }) => invoice_lines).length, lines)
  assert.ok(owners.every((track) => track.invoice_lines.every(({ invoice }) => invoice.customer_id === 5)))
  const ordered = await ask(`{ track(order_by: [{invoice_lines_aggregate: {count: desc}}, {track_id: asc}], limit: 1) {
    invoice_lines { quantity } } }`)
  assert.notDeepEqual((ordered.data as { track: { invoice_lines: unknown[] }[] }).track[0]!.invoice_lines, [])
})

test('a customer inserts only for itself', async (t) => {
  const trellis = await startChinook(t)
  await allowCustomers(trellis)
  const insert = (customer: number) =>
    trellis.graphql(
      `mutation { insert_invoice_one(object: {customer_id: ${customer}, invoice_date: "2021-01-01", total: 1.5}) {
         customer_id total } }`,
      undefined,
      asCustomer(5),
    )
  assert.deepEqual(await insert(6), {
    errors: [
      {
        extensions: { path: '$.selectionSet.insert_invoice_one.args.object', code: 'permission-error' },
        message: 'Check constraint violation. insert check constraint failed',
      },
    ],
  })
  await trellis.sql(`select setval('invoice_invoice_id_seq', 100000)`)
  assert.deepEqual(await insert(5), { data: { insert_invoice_one: { customer_id: 5, total: 1.5 } } })
})

test('a customer cannot name a forbidden column anywhere', async (t) => {
  const trellis = await startChinook(t)
  await allowCustomers(trellis)
  const refusal = async (query: string) => {
    const answer = await trellis.graphql<{ errors: [{ message: string; extensions: { path: string; code: string } }] }>(
      query,
      undefined,
      asCustomer(5),
    )
    return [answer.errors[0].message, answer.errors[0].extensions.path]
  }
  const at = '$.selectionSet.invoice'
  assert.deepEqual(await refusal('{ invoice { billing_city } }'), [
    `field "billing_city" not found in type: 'invoice'`,
    `${at}.selectionSet.billing_city`,
  ])
  assert.deepEqual(await refusal('{ invoice(where: {billing_city: {_eq: "Oslo"}}) { total } }'), [
    `field "billing_city" not found in type: 'invoice_bool_exp'`,
    `${at}.args.where.billing_city`,
  ])
  assert.deepEqual(await refusal('{ invoice(order_by: {billing_city: asc}) { total } }'), [
    `field "billing_city" not found in type: 'invoice_order_by'`,
    `${at}.args.order_by[0].billing_city`,
  ])
  assert.deepEqual(await refusal('{ invoice(distinct_on: billing_city) { total } }'), [
    'expected one of the values invoice_id, customer_id, invoice_date, or total for type "invoice_select_column", but found "billing_city"',
    `${at}.args.distinct_on[0]`,
  ])
  assert.deepEqual(await refusal('{ invoice_aggregate { aggregate { max { billing_city } } } }'), [
    `field "billing_city" not found in type: 'invoice_max_fields'`,
    '$.selectionSet.invoice_aggregate.selectionSet.aggregate.selectionSet.max.selectionSet.billing_city',
  ])
  assert.deepEqual(await refusal('{ customer { email } }'), [
    `field "customer" not found in type: 'query_root'`,
    '$.selectionSet.customer',
  ])
  assert.deepEqual(
    await refusal('mutation { insert_invoice(objects: {customer_id: 5, billing_city: "Oslo"}) { affected_rows } }'),
    [
      `field "billing_city" not found in type: 'invoice_insert_input'`,
      '$.selectionSet.insert_invoice.args.objects[0].billing_city',
    ],
  )
})
