// Pages of rows: every order is followed to its end, nothing is sent whole that is long, and roles see their rows alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

interface Page {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly key: readonly string[] | null
  readonly rows: readonly (readonly (string | null)[])[]
  readonly truncated: readonly { readonly row: number; readonly column: string; readonly bytes: number }[]
  readonly next: string | null
  readonly count?: { readonly value: number; readonly is_exact: boolean } | null
}

const tables = `
  create table item (shop int, id bigint, rank numeric, note text, made timestamptz, ok boolean, doc jsonb, primary key (shop, id));
  insert into item select i % 2, i, nullif(i % 5, 0) + 0.10, case when i % 3 = 0 then null else 'n' || i % 4 end,
    timestamptz '2026-01-01 00:00:00.123456Z' + make_interval(hours => i % 7), i % 2 = 0, '{"a": 1e400}' from generate_series(1, 60) i;
  create table pile (id int, note text);
  insert into pile values (1, repeat('é', 5000)), (2, '');
  create table long (id int primary key, note text);
  insert into long values (1, repeat('n', 100000)), (2, 'short');
  create table script (id int primary key, note text);
  insert into script values (1, repeat('я', 1500)), (2, repeat('я', 2049)), (3, repeat('😀', 2048)), (4, repeat('😀', 2049));
  create view twice as select * from pile;
  create table wide (id int primary key, ${Array.from({ length: 101 }, (_, i) => `c${i} int`).join(', ')});
`

test('rows are browsed a page at a time', async (t) => {
  const trellis = await startTrellis(t, { sql: tables })
  for (const name of ['item', 'pile', 'script', 'twice', 'long', 'wide']) await trellis.op('track_table', name)
  const permission = { columns: ['id', 'note', 'rank'], filter: { shop: { _eq: 1 } }, limit: 7 }
  await trellis.op('create_select_permission', { table: 'item', role: 'clerk', permission })
  const browse = (args: object, role?: string) => trellis.op<Page>('browse_rows', args, role ? { role } : {})

  await t.test('cells are texts with all their digits', async () => {
    const page = await browse({ table: 'item', limit: 1, where: { id: 4 } })
    assert.deepEqual(page.key, ['shop', 'id'])
    assert.deepEqual(
      page.columns.map(({ type }) => type),
      ['int4', 'int8', 'numeric', 'text', 'timestamptz', 'bool', 'jsonb'],
    )
    const [row] = page.rows
    assert.deepEqual(row!.slice(0, 4), ['0', '4', '4.10', 'n0'])
    assert.match(row![4]!, /\.123456/)
    assert.equal(row![5], 'true')
    assert.equal(row![6]!.length > 400, true)
  })

  for (const order_by of [
    'rank',
    '-rank',
    ['-note', '+made'],
    [{ column: 'note', type: 'asc', nulls: 'first' }, '-id'],
  ]) {
    await t.test(`all rows come once, in the order of ${JSON.stringify(order_by)}`, async () => {
      const whole = await browse({ table: 'item', columns: ['id'], order_by, limit: 1000 })
      const seen: unknown[] = []
      let after: string | null = null
      do {
        const page: Page = await browse({ table: 'item', columns: ['id'], order_by, limit: 7, ...(after && { after }) })
        seen.push(...page.rows)
        after = page.next
      } while (after)
      assert.deepEqual([seen.length, seen], [60, whole.rows])
    })
  }

  await t.test('long values are cut, and listed with their size', async () => {
    const page = await browse({ table: 'pile', order_by: 'id', preview_bytes: 10 })
    assert.deepEqual(page.rows, [
      ['1', 'é'.repeat(10)],
      ['2', ''],
    ])
    assert.deepEqual(page.truncated, [{ row: 0, column: 'note', bytes: 10_000 }])
    assert.deepEqual([page.key, page.next], [null, null])
    const { body } = await trellis.opError('browse_rows', { table: 'twice', after: 'WzFd' })
    const error = 'rows without a key that the role may read have one page'
    assert.deepEqual(body, { path: '$.args.after', error, code: 'not-supported' })
  })

  await t.test(
    'values are cut after characters, whichever their bytes, and only those that were cut are listed',
    async () => {
      const rows = [
        ['1', 'я'.repeat(1500)],
        ['2', 'я'.repeat(2048)],
        ['3', '😀'.repeat(2048)],
        ['4', '😀'.repeat(2048)],
      ]
      const truncated = [
        { row: 1, column: 'note', bytes: 4098 },
        { row: 3, column: 'note', bytes: 8196 },
      ]
      const stored = await browse({ table: 'script', order_by: 'id' })
      assert.deepEqual([stored.rows, stored.truncated], [rows, truncated])
      // Their common heir reads the column in another form.
      for (const [role, columns, filter] of [
        ['reader', ['id', 'note'], { id: { _gt: 0 } }],
        ['counter', ['id'], {}],
      ] as const) {
        await trellis.op('create_select_permission', { table: 'script', role, permission: { columns, filter } })
      }
      await trellis.op('add_inherited_role', { role_name: 'heir', role_set: ['reader', 'counter'] })
      const masked = await browse({ table: 'script', order_by: 'id' }, 'heir')
      assert.deepEqual([masked.rows, masked.truncated], [rows, truncated])
    },
  )

  await t.test('a page of many cells cuts them earlier', async () => {
    const few = await browse({ table: 'long', order_by: 'id', limit: 2, preview_bytes: 1_000_000 })
    assert.deepEqual([few.rows[0]![1]!.length, few.truncated], [100_000, []])
    const many = await browse({ table: 'long', order_by: 'id', limit: 1000, preview_bytes: 1_000_000 })
    assert.deepEqual([many.rows[0]![1]!.length, many.truncated], [16_777, [{ row: 0, column: 'note', bytes: 100_000 }]])
  })

  await t.test('a page that no other could follow is refused', async () => {
    const { body } = await trellis.opError('browse_rows', { table: 'long', order_by: 'note', limit: 1 })
    const error = 'the last row of the page has values that are too long for a cursor: order by other columns'
    assert.deepEqual(body, { path: '$.args.order_by', error, code: 'not-supported' })
    const last = await browse({ table: 'long', columns: ['id'], where: { id: 1 }, order_by: 'note' })
    assert.deepEqual([last.rows, last.next], [[['1']], null])
    const permission = { columns: '*', filter: {}, limit: 1 }
    await trellis.op('create_select_permission', { table: 'long', role: 'clerk', permission })
    const asClerk = await trellis.opError('browse_rows', { table: 'long', order_by: 'note' }, { role: 'clerk' })
    assert.deepEqual(asClerk.body, body)
    const { rows, next } = await browse({ table: 'long', columns: ['id'], order_by: '-note', limit: 1 })
    assert.deepEqual([rows, next !== null], [[['2']], true])
  })

  await t.test('a role sees its rows and columns alone', async () => {
    const page = await browse({ table: 'item' }, 'clerk')
    assert.deepEqual([page.key, page.rows.length, page.next], [null, 7, null])
    assert.deepEqual(
      page.columns.map(({ name }) => name),
      ['id', 'rank', 'note'],
    )
    const counted = await browse({ table: 'item', count: { exact_within_ms: 10_000 } }, 'clerk')
    assert.deepEqual(counted.count, { value: 30, is_exact: true })
    const refusals = [
      [{ table: 'item', columns: ['shop'] }, 'permission-denied'],
      [{ table: 'item', where: { shop: 0 } }, 'permission-denied'],
      [{ table: 'item', order_by: 'shop' }, 'permission-denied'],
      [{ table: 'pile' }, 'permission-denied'],
      [{ table: 'nothing' }, 'permission-denied'],
      [{ table: 'item', count: 'estimate' }, 'not-supported'],
    ] as const
    for (const [args, code] of refusals) {
      const { status, body } = await trellis.opError('browse_rows', args, { role: 'clerk' })
      assert.deepEqual([status, (body as { code: string }).code], [400, code], JSON.stringify(args))
    }
  })

  await t.test('counts are estimated, or exact within a time', async () => {
    await trellis.sql('analyze item')
    const estimated = await browse({ table: 'item', limit: 1, count: 'estimate' })
    assert.deepEqual(estimated.count, { value: 60, is_exact: false })
    const exact = await browse({ table: 'item', limit: 1, where: { shop: 0 }, count: { exact_within_ms: 10_000 } })
    assert.deepEqual(exact.count, { value: 30, is_exact: true })
    await trellis.sql(`create function slow() returns boolean language sql volatile as 'select pg_sleep(30) is null';
      create view late as select i as id from generate_series(1, 2) i where i = 1 or slow()`)
    await trellis.op('track_table', 'late')
    const late = await browse({ table: 'late', limit: 1, count: { exact_within_ms: 50 } })
    assert.deepEqual([late.rows, late.count], [[['1']], null])
  })

  await t.test('cursors of another order, or of nobody, are refused', async () => {
    const { next } = await browse({ table: 'item', order_by: 'rank', limit: 1 })
    const error = 'the cursor belongs to another order'
    for (const after of [
      next,
      'x',
      'W10',
      Buffer.from('[1,2]').toString('base64url'),
      Buffer.from('["\\u0000","1"]').toString('base64url'),
    ]) {
      const { status, body } = await trellis.opError('browse_rows', { table: 'item', after })
      assert.deepEqual({ status, body }, { status: 400, body: { path: '$.args.after', error, code: 'parse-failed' } })
    }
    const repeated = { table: 'item', columns: ['id'], order_by: Array(200).fill('-id'), limit: 1 }
    assert.deepEqual((await browse(repeated)).rows, (await browse({ ...repeated, order_by: '-id' })).rows)
    const order_by = Array.from({ length: 101 }, (_, i) => `c${i}`)
    const wide = await trellis.opError('browse_rows', { table: 'wide', order_by })
    const tooMany = 'rows are browsed in the order of at most 64 columns, with their key'
    const refused = { path: '$.args.order_by', error: tooMany, code: 'not-supported' }
    assert.deepEqual(wide, { status: 400, body: refused })
    const forged = Buffer.from('["one","two"]').toString('base64url')
    const { status } = await trellis.opError('browse_rows', { table: 'item', after: forged })
    assert.equal(status, 400)
  })
})
