// Data operations refuse names that a role may not know of with the errors for names that do not exist.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table vault (id int primary key, code text);
  create table clerk (id int primary key, name text, pay int, vault_id int references vault, boss_id int references clerk,
    twice int generated always as (pay * 2) stored);
  create view calm as select 1 as id limit 1;
  create function clerk_rank(clerk) returns int language sql stable as 'select 1';
  insert into clerk (id, name, pay) values (1, 'Ann', 7)`

const permissions = {
  insert: { check: {}, columns: ['id', 'name'] },
  select: { columns: ['id', 'name'], filter: {} },
  update: { columns: ['name'], filter: {} },
  delete: { filter: {} },
}

/** Names that the role may not know of, by the kind of object; `absent` names no object. */
const hidden = { column: 'pay', generated: 'twice', relationship: 'vault', computed: 'rank', array: 'staff_vaults' }
const absent = 'absent'

const table = 'clerk'

/** Requests with a name in every place that takes one. */
const requests: readonly [place: string, type: string, args: (name: string) => object][] = [
  ['columns', 'select', (name) => ({ table, columns: [name] })],
  ['a relationship', 'select', (name) => ({ table, columns: [{ name, columns: ['id'] }] })],
  ['where', 'select', (name) => ({ table, columns: ['id'], where: { [name]: 1 } })],
  ['where, nested', 'select', (name) => ({ table, columns: ['id'], where: { boss: { [name]: { id: 1 } } } })],
  ['an operand', 'select', (name) => ({ table, columns: ['id'], where: { id: { $ceq: name } } })],
  ['order_by', 'select', (name) => ({ table, columns: ['id'], order_by: name })],
  ['order_by through', 'select', (name) => ({ table, columns: ['id'], order_by: `${name}.id` })],
  ['order_by of a related row', 'select', (name) => ({ table, columns: ['id'], order_by: `boss.${name}` })],
  ['distinct', 'count', (name) => ({ table, distinct: [name] })],
  ['where of count', 'count', (name) => ({ table, where: { [name]: { id: 1 } } })],
  ['an object', 'insert', (name) => ({ table, objects: [{ id: 2, [name]: 1 }] })],
  ['returning', 'insert', (name) => ({ table, objects: [{ id: 2 }], returning: [name] })],
  [
    'constraint_on',
    'insert',
    (name) => ({ table, objects: [{ id: 1 }], on_conflict: { action: 'ignore', constraint_on: [name] } }),
  ],
  ['$set', 'update', (name) => ({ table, where: {}, $set: { [name]: 1 } })],
  ['$inc', 'update', (name) => ({ table, where: {}, $inc: { [name]: 1 } })],
  ['$default', 'update', (name) => ({ table, where: {}, $default: [name] })],
  ['where of update', 'update', (name) => ({ table, where: { [name]: 1 }, $set: { name: 'x' } })],
  ['returning of delete', 'delete', (name) => ({ table, where: { id: 0 }, returning: [name] })],
]

/** Requests about a table. */
const tableRequests: readonly [place: string, type: string, args: (name: string) => object][] = [
  ['select', 'select', (name) => ({ table: name, columns: ['*'] })],
  ['count', 'count', (name) => ({ table: name })],
  ['insert', 'insert', (name) => ({ table: name, objects: [{}] })],
  ['update', 'update', (name) => ({ table: name, where: {}, $set: {} })],
  ['delete', 'delete', (name) => ({ table: name, where: {} })],
  ['_exists', 'select', (name) => ({ table, columns: ['id'], where: { _exists: { _table: name, _where: {} } } })],
]

for (const dialect of ['trellis', 'hasura'] as const) {
  test(`hidden names are refused like missing names, in dialect ${dialect}`, async (t) => {
    const { op, opError } = await startTrellis(t, { sql, settings: { dialect } })
    for (const each of ['vault', 'clerk', 'calm']) await op('track_table', each)
    const using = (column: string) => ({ using: { foreign_key_constraint_on: column } })
    await op('create_object_relationship', { table, name: 'vault', ...using('vault_id') })
    await op('create_object_relationship', { table, name: 'boss', ...using('boss_id') })
    const mapping = { remote_table: 'vault', column_mapping: { id: 'id' } }
    await op('create_array_relationship', { table, name: 'staff_vaults', using: { manual_configuration: mapping } })
    await op('add_computed_field', { table, name: 'rank', definition: { function: 'clerk_rank' } })
    for (const [kind, permission] of Object.entries(permissions)) {
      await op(`create_${kind}_permission`, { table, role: 'guest', permission })
    }
    const refusal = async (type: string, args: object, name: string) => {
      const answer = await opError(type, args, { role: 'guest' })
      return JSON.parse(JSON.stringify(answer).replaceAll(name, '<name>'))
    }
    for (const [place, type, args] of requests) {
      const expected = await refusal(type, args(absent), absent)
      for (const [what, name] of Object.entries(hidden)) {
        assert.deepEqual(await refusal(type, args(name), name), expected, `${what} in ${place}`)
      }
    }
    for (const [place, type, args] of tableRequests) {
      const expected = await refusal(type, args(absent), absent)
      for (const name of ['vault', 'calm']) {
        assert.deepEqual(await refusal(type, args(name), name), expected, `${name} in ${place}`)
      }
    }
  })
}
