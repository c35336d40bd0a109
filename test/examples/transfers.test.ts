import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from 'trellis/testing'
import transfers from '../../examples/transfers.ts'

const sql = `
  create table account (id int primary key, owner text not null, balance int not null check (balance >= 0));
  insert into account values (1, 'ann', 10), (2, 'ann', 0), (3, 'bob', 5)`

test('a transfer changes both accounts or none, and each change becomes a line of a statement', async () => {
  await using trellis = await startTrellis({ plugins: [transfers], sql })
  const filter = { owner: { _eq: 'X-Service-User-Id' } }
  const columns = ['id', 'balance']
  await trellis.operation('bulk', [
    { type: 'track_table', args: 'account' },
    ...['select', 'update'].map((kind) => ({
      type: `create_${kind}_permission`,
      args: { table: 'account', role: 'customer', permission: { columns, filter } },
    })),
    {
      type: 'set_custom_types',
      args: {
        objects: [
          {
            name: 'Transfer',
            fields: ['from', 'to'].map((name) => ({ name, type: 'Int!' })),
          },
        ],
      },
    },
    {
      type: 'create_action',
      args: {
        name: 'transfer',
        definition: {
          output_type: 'Transfer!',
          arguments: ['from', 'to', 'amount'].map((name) => ({ name, type: 'Int!' })),
        },
      },
    },
    { type: 'create_action_permission', args: { action: 'transfer', role: 'customer' } },
  ])
  const transfer = async (from: number, to: number, amount: number) => {
    const { data, errors } = await trellis.graphql(
      `mutation { transfer(from: ${from}, to: ${to}, amount: ${amount}) { from to } }`,
      { role: 'customer', headers: { 'x-service-user-id': 'ann' } },
    )
    return errors?.[0]?.extensions?.['code'] ?? data
  }
  assert.deepEqual(await transfer(1, 2, 4), { transfer: { from: 1, to: 2 } })
  assert.equal(await transfer(2, 3, 1), 'not-found')
  assert.equal(await transfer(1, 2, 40), 'permission-error')
  assert.equal(await transfer(1, 2, 0), 'validation-failed')
  await trellis.sql('update account set balance = balance - 1 where id = 1')
  assert.deepEqual(await trellis.sql('select balance from account order by id'), [
    { balance: 5 },
    { balance: 4 },
    { balance: 5 },
  ])

  const lines = await trellis.eventually(async () => {
    const rows = await trellis.sql('select account, difference, by_role from trellis.statement_line order by 1, 2')
    return rows.length === 3 && rows
  })
  assert.deepEqual(lines, [
    { account: 1, difference: -4, by_role: 'customer' },
    { account: 1, difference: -1, by_role: null },
    { account: 2, difference: 4, by_role: 'customer' },
  ])
  assert.deepEqual(await trellis.operation('get_inconsistent_metadata', {}), [])
})
