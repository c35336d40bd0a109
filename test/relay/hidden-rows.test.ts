// Handmade ids and cursors reveal nothing about hidden rows: over two tables that differ only in these, answers are
// equal, byte for byte, also when the statement has run before.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { columns, roles, startHiding } from '../graphql/hidden-rows.ts'
import type { TestTrellis } from '../support/trellis.ts'

let trellis: TestTrellis

before(async (t) => {
  trellis = await startHiding(t as never)
  for (const [table, values] of [
    ['hiding_days', `values (1, date '2020-01-01', 2, 2)`],
    ['bare_days', 'select 1, null, null, null where false'],
  ]) {
    await trellis.sql(`
      create table ${table} (id int, day date, box_id int references box, owner int, primary key (id, day));
      insert into ${table} ${values}`)
    await trellis.op('track_table', table)
    const using = { foreign_key_constraint_on: 'box_id' }
    await trellis.op('create_object_relationship', { table, name: 'box', using })
    for (const [role, filter] of Object.entries(roles)) {
      await trellis.op('create_select_permission', { table, role, permission: { columns: '*', filter } })
    }
  }
})

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

async function alike(query: (table: string) => string, variables: (table: string) => object, role: string) {
  const ask = async (table: string) => {
    const body = { query: query(table), variables: variables(table) }
    return (await trellis.request('/v1beta1/relay', { body, role })).text.replaceAll(table, 'table')
  }
  const [hiding, bare] = [await ask('hiding'), await ask('bare')]
  assert.equal(hiding, bare, `${query('table')} for ${role}`)
  return hiding
}

/** Values that cannot be read, or compared. */
const values: Record<string, unknown> = {
  c_date: 'none',
  c_timestamptz: 'none',
  c_uuid: 'none',
  c_interval: 'none',
  c_range: 'none',
  c_inet: 'none',
  c_enum: 'none',
  c_pair: '(1,3)',
}

const parts = ['edges { node { id } }', 'pageInfo { hasNextPage hasPreviousPage }']

for (const role of Object.keys(roles)) {
  test(`handmade cursors reveal nothing to ${role}`, { timeout: 60_000 }, async () => {
    for (const [column, value] of Object.entries(values)) {
      for (const side of ['after', 'before']) {
        for (const part of parts) {
          const query = (table: string) =>
            `query($cursor: String) { ${table}_connection(order_by: {${column}: asc}, ${side}: $cursor) { ${part} } }`
          const cursor = (given: unknown) => () => ({ cursor: base64({ [column]: given, id: 0 }) })
          // By then PostgreSQL may have a plan for all values.
          for (let i = 0; i < 8; i++) await alike(query, cursor(columns[column]!.hidden), role)
          const answer = await alike(query, cursor(value), role)
          assert.match(answer, /"errors"/, `${column} ${side}`)
        }
      }
    }
  })

  test(`handmade ids reveal nothing to ${role}`, { timeout: 60_000 }, async () => {
    const query = () => 'query($id: ID!) { node(id: $id) { id } }'
    const nodeId = (day: string) => (table: string) => ({ id: base64([1, 'public', `${table}_days`, 1, day]) })
    for (let i = 0; i < 8; i++) {
      assert.equal(await alike(query, nodeId('2020-01-01'), role), '{"data":{"node":null}}')
    }
    assert.match(await alike(query, nodeId('none'), role), /invalid input syntax for type date/)
  })
}
