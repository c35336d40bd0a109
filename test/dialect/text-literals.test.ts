// Numbers and booleans written as strings in permissions and data operations: PostgreSQL reads values that tools of v1.3 stored.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `create table part (id int primary key, stock int, active boolean, weight real, name text);
  insert into part values (1, 5, true, 1.5, 'bolt'), (2, 6, false, 2.5, 'nut')`

const start = async (t: TestContext, dialect: 'hasura' | 'trellis') => {
  const trellis = await startTrellis(t, { sql, settings: { dialect } })
  await trellis.op('track_table', 'part')
  return trellis
}

const conditions: readonly (readonly [where: object, ids: readonly number[]])[] = [
  [{ stock: '5' }, [1]],
  [{ stock: { _in: ['6', 7] } }, [2]],
  [{ active: { _eq: 'true' } }, [1]],
  [{ weight: { _gt: '2' } }, [2]],
  [{ _not: { active: { _neq: 'f' } } }, [2]],
]

const check = { stock: { _gte: '9' } }

test('the hasura dialect takes them', async (t) => {
  const { op, opError, graphql } = await start(t, 'hasura')
  for (const [i, [where, ids]] of conditions.entries()) {
    const rows = ids.map((id) => ({ id }))
    assert.deepEqual(await op('select', { table: 'part', columns: ['id'], where, order_by: 'id' }), rows)
    const args = { table: 'part', role: `r${i}`, permission: { columns: ['id'], filter: where } }
    await op('create_select_permission', args)
    assert.deepEqual(await graphql('{ part { id } }', {}, { role: `r${i}` }), { data: { part: rows } })
  }
  const permission = { check, columns: ['id'], set: { stock: '9', active: 'yes', name: 'x' } }
  await op('create_insert_permission', { table: 'part', role: 'r0', permission })
  const insert = 'mutation { insert_part(objects: {id: 3}) { affected_rows } }'
  assert.deepEqual(await graphql(insert, {}, { role: 'r0' }), { data: { insert_part: { affected_rows: 1 } } })
  const returning = ['id', 'stock', 'active', 'weight']
  assert.deepEqual(
    await op('update', { table: 'part', where: { id: '3' }, $set: { weight: '0.5' }, $inc: { stock: '1' }, returning }),
    { affected_rows: 1, returning: [{ id: 3, stock: 10, active: true, weight: 0.5 }] },
  )
  assert.deepEqual(
    await op('insert', { table: 'part', objects: [{ id: '4', stock: '-7', active: 'false' }], returning }),
    { affected_rows: 1, returning: [{ id: 4, stock: -7, active: false, weight: null }] },
  )
  assert.deepEqual(await opError('insert', { table: 'part', objects: [{ id: 'five' }] }), {
    status: 400,
    body: { path: '$.args', error: 'invalid input syntax for type integer: "five"', code: 'data-exception' },
  })
})

test('the hasura dialect leaves GraphQL, and values that are not strings, as strict as they are', async (t) => {
  const { graphql, opError } = await start(t, 'hasura')
  const path = '$.selectionSet.part.args.where.stock._eq'
  assert.deepEqual(await graphql('{ part(where: {stock: {_eq: "5"}}) { id } }'), {
    errors: [
      {
        extensions: { path, code: 'validation-failed' },
        message: 'expected a 32-bit integer for type "Int", but found a string',
      },
    ],
  })
  assert.deepEqual(await opError('insert', { table: 'part', objects: [{ id: true }] }), {
    status: 400,
    body: {
      path: '$.args.objects[0].id',
      error: 'expected a 32-bit integer for type "Int", but found a boolean',
      code: 'parse-failed',
    },
  })
})

test('the default dialect refuses them where they stand', async (t) => {
  const { op, opError } = await start(t, 'trellis')
  assert.deepEqual(await opError('insert', { table: 'part', objects: [{ id: '4' }] }), {
    status: 400,
    body: {
      path: '$.args.objects[0].id',
      error: 'expected a 32-bit integer for type "Int", but found a string',
      code: 'parse-failed',
    },
  })
  const reason = 'expected a 32-bit integer for type "Int", but found a string'
  const permission = { check }
  const definition = { table: { schema: 'public', name: 'part' }, role: 'r', permission, comment: null }
  const error = `in table "part": in permission for role "r": ${reason}`
  assert.deepEqual(await opError('create_insert_permission', { table: 'part', role: 'r', permission }), {
    status: 400,
    body: {
      path: '$.args',
      error,
      code: 'constraint-violation',
      internal: [{ type: 'insert_permission', definition, reason: error }],
    },
  })
  assert.deepEqual(await op('select', { table: 'part', columns: ['id'], where: { id: 1 } }), [{ id: 1 }])
})
