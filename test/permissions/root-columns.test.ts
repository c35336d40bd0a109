// `["$", "column"]` in permissions: a column of the row that the permission is on, wherever in the expression it stands.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create type level as enum ('low', 'high');
  create domain grade as level;
  create table member (id int primary key, org int, grade grade, flags jsonb);
  create table task (
    id int primary key, org int, member_id int references member, grade grade, parent_id int references task
  );
  insert into member values (1, 1, 'low'), (2, 2, 'high');
  insert into task values
    (1, 1, 1, 'low', null), (2, 2, 1, 'high', 1), (3, 2, 2, 'high', 1), (4, null, 2, null, 3), (5, 1, null, 'low', 3)`

const sameOrg = { member: { org: { _ceq: ['$', 'org'] } } }

const key = (column: string, table?: string) => ({
  foreign_key_constraint_on: table === undefined ? column : { table: { schema: 'public', name: table }, column },
})

/** Members and tasks. A role reads those that the filter selects. */
async function office(t: TestContext, filter: object, more: object = {}) {
  const trellis = await startTrellis(t, { sql })
  const everything = { role: 'r', permission: { columns: '*', filter: {} } }
  await trellis.op('replace_metadata', {
    version: 2,
    tables: [
      {
        table: 'member',
        array_relationships: [{ name: 'tasks', using: key('member_id', 'task') }],
        select_permissions: [everything],
      },
      {
        table: 'task',
        object_relationships: [
          { name: 'member', using: key('member_id') },
          { name: 'parent', using: key('parent_id') },
        ],
        array_relationships: [{ name: 'children', using: key('parent_id', 'task') }],
        select_permissions: [{ role: 'r', permission: { columns: '*', filter, allow_aggregations: true } }],
        ...more,
      },
    ],
  })
  return trellis
}

const role = { role: 'r' }

test('rows are compared with the row that the permission is on, however it is reached', async (t) => {
  const trellis = await office(t, sameOrg)
  const read = async (query: string) => (await trellis.graphql<{ data: unknown }>(query, {}, role)).data
  assert.deepEqual(await read('{ task(order_by: {id: asc}) { id } }'), { task: [{ id: 1 }, { id: 3 }] })
  assert.deepEqual(await read('{ member(order_by: {id: asc}) { tasks { id } } }'), {
    member: [{ tasks: [{ id: 1 }] }, { tasks: [{ id: 3 }] }],
  })
  assert.deepEqual(await read('{ task_by_pk(id: 3) { parent { id children { id } } } }'), {
    task_by_pk: { parent: { id: 1, children: [{ id: 3 }] } },
  })
  assert.deepEqual(await read('{ task(where: {children: {children: {}}}) { id } }'), { task: [] })
  assert.deepEqual(await read('{ task(where: {children: {id: {_gt: 1}}}) { id } }'), { task: [{ id: 1 }] })
  assert.deepEqual(await read('{ task_aggregate(where: {parent: {}}) { aggregate { count } } }'), {
    task_aggregate: { aggregate: { count: 1 } },
  })
  assert.deepEqual(await read('{ member(order_by: {tasks_aggregate: {max: {org: desc}}}) { id } }'), {
    member: [{ id: 2 }, { id: 1 }],
  })
})

test('values of a domain over an enum are compared too', async (t) => {
  const trellis = await office(t, { member: { grade: { _cneq: ['$', 'grade'] } } })
  assert.deepEqual(await trellis.graphql('{ task { id } }', {}, role), { data: { task: [{ id: 2 }] } })
})

test('checks and filters of changes compare as well', async (t) => {
  const trellis = await office(
    t,
    {},
    {
      insert_permissions: [{ role: 'r', permission: { columns: '*', check: sameOrg } }],
      update_permissions: [{ role: 'r', permission: { columns: ['org'], filter: sameOrg, check: sameOrg } }],
      delete_permissions: [{ role: 'r', permission: { filter: { parent: { org: { _cne: ['$', 'org'] } } } } }],
    },
  )
  const failed = async (mutation: string) => {
    const { errors } = await trellis.graphql<{ errors: { message: string }[] }>(`mutation { ${mutation} }`, {}, role)
    return errors[0]?.message
  }
  const affected = async (mutation: string) => {
    const answer = await trellis.graphql(`mutation { n: ${mutation} { affected_rows } }`, {}, role)
    return (answer as { data: { n: { affected_rows: number } } }).data.n.affected_rows
  }
  assert.equal(await affected('insert_task(objects: {id: 10, org: 1, member_id: 1})'), 1)
  assert.match(
    (await failed('insert_task(objects: {id: 11, org: 2, member_id: 1}) { affected_rows }')) ?? '',
    /^Check constraint violation/,
  )
  assert.match((await failed('update_task(where: {id: {_eq: 10}}, _set: {org: 2}) { affected_rows }')) ?? '', /^Check/)
  assert.equal(await affected('update_task(where: {id: {_eq: 2}}, _set: {org: 1})'), 0)
  assert.equal(await affected('delete_task(where: {id: {_in: [2, 10]}})'), 1)
})

test('renames are followed, and compared columns cannot be dropped or change their type', async (t) => {
  const trellis = await office(t, sameOrg)
  const filter = async () => {
    type Document = { tables: { select_permissions: { permission: { filter: unknown } }[] }[] }
    return (await trellis.op<Document>('export_metadata', {})).tables[1]?.select_permissions[0]?.permission.filter
  }
  assert.deepEqual(await filter(), sameOrg)
  for (const change of ['drop column org', 'alter column org type bigint']) {
    const { body } = await trellis.opError('run_sql', { sql: `alter table task ${change}` })
    assert.match(JSON.stringify(body), /dependency-error.*|.*permission task.r.select/)
  }
  await trellis.op('run_sql', { sql: 'alter table task rename org to company' })
  assert.deepEqual(await filter(), { member: { org: { _ceq: ['$', 'company'] } } })
  await trellis.op('run_sql', { sql: 'alter table member rename org to company' })
  assert.deepEqual(await filter(), { member: { company: { _ceq: ['$', 'company'] } } })
  assert.deepEqual(await trellis.graphql('{ task(order_by: {id: asc}) { id } }', {}, role), {
    data: { task: [{ id: 1 }, { id: 3 }] },
  })
})

test('a column that is missing or has another type is refused', async (t) => {
  const trellis = await office(t, {})
  const reasons: [operand: unknown, reason: string][] = [
    [['$', 'nope'], '"nope" does not exist'],
    [['$', 'grade'], 'incompatible column types : "org", "grade"'],
    [['$', 'member', 'org'], 'parsing Text failed, expected String, but encountered Array'],
    [['org'], 'parsing Text failed, expected String, but encountered Array'],
    [
      ['$', 'member'],
      'expecting a postgres column; but, "member" is a relationship; column operators can only compare postgres columns',
    ],
  ]
  for (const [operand, reason] of reasons) {
    const permission = { columns: [], filter: { member: { org: { _ceq: operand } } } }
    const { body } = await trellis.opError('create_select_permission', { table: 'task', role: 's', permission })
    assert.equal((body as { error: string }).error, `in table "task": in permission for role "s": ${reason}`)
  }
  const where = { member: { org: { _ceq: ['$', 'org'] } } }
  const { body } = await trellis.opError('select', { table: 'task', columns: ['id'], where })
  assert.equal((body as { path: string }).path, '$.args.where.member.org._ceq')
})

test('deep conditions on many rows scan no table for each row', async (t) => {
  const trellis = await office(t, { parent: { id: { _clt: ['$', 'id'] } } })
  await trellis.sql(`
    insert into task select i, 1, null, 'low', nullif(i - 1, 99) from generate_series(100, 6099) i;
    create index on task (parent_id); analyze task`)
  let where = '{id: {_gt: 0}}'
  for (let level = 0; level < 9; level++) where = `{parent: ${where}}`
  const started = performance.now()
  const answer = await trellis.graphql<{ data: unknown }>(
    `{ task_aggregate(where: {id: {_gte: 100}, _and: [${where}]}) { aggregate { count } } }`,
    {},
    role,
  )
  const ms = performance.now() - started
  assert.deepEqual(answer, { data: { task_aggregate: { aggregate: { count: 5990 } } } })
  // A scan of the table for each row takes minutes.
  assert.ok(ms < 30_000, `took ${ms} ms`)
})
