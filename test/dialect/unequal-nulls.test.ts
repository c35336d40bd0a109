// `_ne` in permissions and data operations where the column is NULL: v1.3 counts it as unequal to any value.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `create table part (id int primary key, state text, info jsonb);
  insert into part values (1, 'old', '1'), (2, 'new', '2'), (3, null, null)`

const conditions: readonly (readonly [where: object, lenient: readonly number[], strict: readonly number[]])[] = [
  [{ state: { _ne: 'old' } }, [2, 3], [2]],
  [{ state: { $neq: 'X-State' } }, [2, 3], [2]],
  [{ info: { _neq: 1 } }, [2, 3], [2]],
  [{ _not: { state: { _ne: 'old' } } }, [1], [1]],
  [{ state: { _ne: 'old', _is_null: false } }, [2], [2]],
  [{ state: { _ne: null } }, [1, 2], [1, 2]],
  [{ _not: { state: { _eq: 'old' } } }, [2], [2]],
  [{ state: { _nin: ['old'] } }, [2], [2]],
  [{ state: { _cne: 'state' } }, [], []],
]

for (const [dialect, word] of [
  ['hasura', 'hasura'],
  ['trellis', 'service'],
] as const) {
  test(`a NULL beside _ne in the dialect ${dialect}`, async (t) => {
    const { op, graphql } = await startTrellis(t, { sql, settings: { dialect } })
    await op('track_table', 'part')
    const headers = { [`x-${word}-state`]: 'old' }
    for (const [i, [given, lenient, strict]] of conditions.entries()) {
      const where = JSON.parse(JSON.stringify(given).replace('X-State', `X-${word}-State`))
      const part = (dialect === 'hasura' ? lenient : strict).map((id) => ({ id }))
      const select = { table: 'part', columns: ['id'], where, order_by: 'id' }
      assert.deepEqual(await op('select', select, { headers }), part)
      const permission = { columns: ['id'], filter: where }
      await op('create_select_permission', { table: 'part', role: `r${i}`, permission })
      const query = '{ part(order_by: {id: asc}) { id } }'
      assert.deepEqual(await graphql(query, {}, { role: `r${i}`, headers }), { data: { part } })
    }
    const query = '{ part(where: {state: {_neq: "old"}}) { id } }'
    assert.deepEqual(await graphql(query), { data: { part: [{ id: 2 }] } })
    await op('create_insert_permission', {
      table: 'part',
      role: 'r0',
      permission: { columns: ['id'], check: { state: { _ne: 'old' } } },
    })
    const insert = 'mutation { insert_part(objects: {id: 4}) { affected_rows } }'
    const answer = await graphql<{ data?: object }>(insert, {}, { role: 'r0' })
    assert.equal(answer.data !== undefined, dialect === 'hasura')
  })
}
