import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from 'trellis/testing'
import audit from '../../examples/audit.ts'

interface Entry {
  readonly id: string
  readonly transaction: string
  readonly role: string
  readonly kind: string
  readonly name: string | null
  readonly content: unknown
}

const sql = `
  create table account (id int primary key, balance int not null check (balance >= 0),
    written_by text not null default pg_current_xact_id()::text);
  insert into account (id, balance) values (1, 10)`

test('each change is recorded in its own transaction, and a change that fails is not', async () => {
  await using trellis = await startTrellis({ plugins: [audit], sql, settings: { adminSecret: 'sesame' } })
  const headers = { 'x-service-admin-secret': 'sesame' }
  const entries = async (path = '/audit') => (await trellis.request<Entry[]>(path, { headers })).body
  await trellis.operation('track_table', 'account', { headers })
  const columns = ['id', 'balance']
  const permit = (kind: string, permission: object) =>
    trellis.operation(`create_${kind}_permission`, { table: 'account', role: 'teller', permission }, { headers })
  await permit('insert', { columns, check: {} })
  await permit('select', { columns, filter: {} })

  const teller = { headers, role: 'teller' }
  const open =
    'mutation open($id: Int!, $balance: Int!) { insert_account_one(object: {id: $id, balance: $balance}) { id } }'
  const opened = await trellis.graphql(open, { ...teller, variables: { id: 2, balance: 5 } })
  const [last] = await entries()
  assert.deepEqual(opened, { data: { insert_account_one: { id: 2 } }, extensions: { audit: last?.id } })
  assert.deepEqual([last?.role, last?.kind, last?.name], ['teller', 'mutation', 'open'])
  assert.deepEqual(last?.content, { query: open, variables: { id: 2, balance: 5 } })
  const writer = async (id: number) => {
    const rows = await trellis.sql<{ written_by: string }>('select written_by from account where id = $1', [id])
    return rows[0]?.written_by
  }
  assert.equal(await writer(2), last?.transaction)

  const refused = await trellis.graphql(open, { ...teller, variables: { id: 3, balance: -1 } })
  assert.equal(refused.errors?.[0]?.extensions?.['code'], 'permission-error')
  await trellis.graphql('{ account { id } }', teller)
  await trellis.operation('select', { table: 'account', columns: ['id'] }, { headers })
  assert.equal((await entries())[0]?.id, last?.id)

  const objects = [{ id: 4, balance: 1 }]
  await trellis.operation('insert', { table: 'account', objects }, teller)
  const [inserted, ...before] = await entries()
  assert.deepEqual(
    [inserted?.role, inserted?.name, inserted?.content],
    ['teller', 'insert', { table: { schema: 'public', name: 'account' }, objects }],
  )
  assert.equal(await writer(4), inserted?.transaction)
  assert.deepEqual(
    before.map(({ name }) => name),
    ['open', 'create_select_permission', 'create_insert_permission', 'track_table'],
  )
  assert.deepEqual(await entries(`/audit?before=${last?.id}`), before.slice(1))
  const wrong = await trellis.request('/audit?before=x', { headers })
  assert.deepEqual(wrong.body, { path: '$', error: '"before" has to be an id', code: 'invalid-params' })
  assert.equal((await trellis.request('/audit', teller)).status, 400)
})
