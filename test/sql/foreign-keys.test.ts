import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const done = { result_type: 'CommandOk', result: null }

/** A table with a key of two columns to another, and the relationships by that key. */
async function house(t: TestContext) {
  const trellis = await startTrellis(t, {
    sql: `
      create table door (house int, number int, primary key (house, number));
      create table tenant (id int primary key, house int, door int, constraint at foreign key (house, door) references door);
      insert into door values (1, 2);
      insert into tenant values (7, 1, 2)`,
  })
  await trellis.op('replace_metadata', {
    tables: [
      {
        table: 'tenant',
        object_relationships: [{ name: 'home', using: { foreign_key_constraint_on: ['house', 'door'] } }],
      },
      {
        table: 'door',
        array_relationships: [
          {
            name: 'tenants',
            using: { foreign_key_constraint_on: { table: 'tenant', columns: ['house', 'door'] } },
          },
        ],
      },
    ],
  })
  const replaced = (key: string, more = '') =>
    trellis.op('run_sql', { sql: `alter table tenant drop constraint at; ${more}; alter table tenant add ${key}` })
  return { ...trellis, replaced }
}

test('a recreated foreign key is the same one, with any order of its columns', async (t) => {
  const { replaced, graphql } = await house(t)
  assert.deepEqual(await replaced('foreign key (door, house) references door (number, house) on delete cascade'), done)
  const data = { tenant: [{ home: { number: 2 } }], door: [{ tenants: [{ id: 7 }] }] }
  assert.deepEqual(await graphql('{ tenant { home { number } } door { tenants { id } } }'), { data })
})

test('a foreign key that is made anew is the same one under new names of its tables and columns', async (t) => {
  const { replaced, graphql } = await house(t)
  const renames = `
    alter table door rename to entrance; alter table entrance rename number to no; alter table tenant rename door to flat`
  assert.deepEqual(await replaced('foreign key (house, flat) references entrance', renames), done)
  const data = { tenant: [{ home: { no: 2 } }], entrance: [{ tenants: [{ id: 7 }] }] }
  assert.deepEqual(await graphql('{ tenant { home { no } } entrance { tenants { id } } }'), { data })
})

test('a foreign key that pairs other columns now is another one', async (t) => {
  const { opError } = await house(t)
  const sql = `alter table tenant drop constraint at;
    truncate tenant; alter table tenant add foreign key (door, house) references door (house, number)`
  assert.deepEqual(await opError('run_sql', { sql }), {
    status: 400,
    body: {
      path: '$.args',
      error: 'cannot drop due to the following dependent objects : relationship door.tenants, relationship tenant.home',
      code: 'dependency-error',
    },
  })
})
