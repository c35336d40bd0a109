import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from 'trellis/testing'
import tenants from '../../examples/tenants.ts'

const sql = `
  create table invoice (id int primary key, tenant_id int not null, amount int not null);
  create table country (code text primary key);
  insert into invoice values (1, 7, 10), (2, 8, 20), (3, 7, 30);
  insert into country values ('at')`

const everything = { columns: '*', filter: {} }

async function startInvoices(settings = {}) {
  const trellis = await startTrellis({ plugins: [tenants], sql, settings })
  await trellis.operation('bulk', [
    ...['invoice', 'country'].flatMap((table) => [
      { type: 'track_table', args: table },
      { type: 'create_select_permission', args: { table, role: 'clerk', permission: everything } },
    ]),
    {
      type: 'create_insert_permission',
      args: { table: 'invoice', role: 'clerk', permission: { columns: '*', check: {} } },
    },
    { type: 'create_update_permission', args: { table: 'invoice', role: 'clerk', permission: everything } },
  ])
  return trellis
}

const clerk = (tenant: number) => ({ role: 'clerk', headers: { 'x-service-tenant-id': String(tenant) } })

test('a role reaches only rows of its tenant, in tables with tenants', async () => {
  await using trellis = await startInvoices()
  const query = '{ invoice(order_by: { id: asc }) { id } country { code } }'
  const country = [{ code: 'at' }]
  assert.deepEqual(await trellis.graphql(query, clerk(7)), { data: { invoice: [{ id: 1 }, { id: 3 }], country } })
  assert.deepEqual(await trellis.graphql(query, clerk(8)), { data: { invoice: [{ id: 2 }], country } })
  assert.deepEqual(await trellis.graphql(query), { data: { invoice: [{ id: 1 }, { id: 2 }, { id: 3 }], country } })
})

test('a request without a tenant is refused', async () => {
  await using trellis = await startInvoices()
  const { errors } = await trellis.graphql('{ invoice { id } }', { role: 'clerk' })
  assert.equal(errors?.[0]?.message, 'missing session variables: "x-service-tenant-id"')
})

test('no role writes rows of another tenant', async () => {
  await using trellis = await startInvoices()
  const insert = 'mutation { insert_invoice_one(object: { id: 4, tenant_id: 8, amount: 1 }) { id } }'
  assert.deepEqual(await trellis.graphql(insert, clerk(8)), { data: { insert_invoice_one: { id: 4 } } })
  const foreign = await trellis.graphql(insert.replace('4', '5'), clerk(7))
  assert.equal(foreign.errors?.[0]?.extensions?.code, 'permission-error')
  const update = 'mutation { update_invoice(where: {}, _set: { amount: 0 }) { affected_rows } }'
  assert.deepEqual(await trellis.graphql(update, clerk(8)), { data: { update_invoice: { affected_rows: 2 } } })
  assert.deepEqual(await trellis.sql('select count(*)::int from invoice where amount > 0'), [{ count: 2 }])
})

test('an option names the variable', async () => {
  await using trellis = await startInvoices({ tenantVariable: 'Org' })
  const asked = { role: 'clerk', headers: { 'x-service-org': '8' } }
  assert.deepEqual(await trellis.graphql('{ invoice { id } }', asked), { data: { invoice: [{ id: 2 }] } })
})
