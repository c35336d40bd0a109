import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { TestTrellis } from '../support/trellis.ts'
import { startOffice } from './office.ts'

const refused = (code: string, error: string) => ({ status: 400, body: { path: '$.args', error, code } })

const runSql = (trellis: TestTrellis, sql: string, options: object = {}) => trellis.op('run_sql', { sql, ...options })
const runSqlError = (trellis: TestTrellis, sql: string, options: object = {}) =>
  trellis.opError('run_sql', { sql, ...options })

const name = (text: string) => ({ schema: 'public', name: text })

interface Exported {
  readonly functions?: readonly { readonly function: { readonly name: string } }[]
  readonly tables: readonly { readonly computed_fields?: readonly { readonly name: string }[] }[]
}

async function exported(trellis: TestTrellis) {
  const { functions = [], tables } = await trellis.op<Exported>('export_metadata', {})
  return {
    functions: functions.map((entry) => entry.function.name),
    fields: tables.flatMap(({ computed_fields: fields = [] }) => fields.map((field) => field.name)),
  }
}

/** `everyone` and `people` tracked, and a computed field `label` of a person by `label_of`. */
async function office(t: TestContext): Promise<TestTrellis> {
  const trellis = await startOffice(t)
  await trellis.op('track_function', 'everyone')
  await trellis.op('track_function', 'people')
  await trellis.sql(`create function label_of(person) returns text language sql stable as $$ select $1.first $$`)
  await trellis.op('add_computed_field', { table: 'person', name: 'label', definition: { function: 'label_of' } })
  return trellis
}

test('dropped functions leave the metadata, with and without cascade', async (t) => {
  const trellis = await office(t)
  await runSql(trellis, 'drop function everyone')
  assert.deepEqual((await exported(trellis)).functions, ['people'])
  await runSql(trellis, 'drop function people', { cascade: true })
  assert.deepEqual(await exported(trellis), { functions: [], fields: ['label'] })
})

test('a function with the name of a tracked one and other arguments is a different function', async (t) => {
  const trellis = await office(t)
  const others = `drop function everyone; drop function people;
    create function everyone(low int) returns setof person language sql stable as $$ select * from person where id > low $$;
    create function people() returns setof person language sql stable as $$ select * from person $$`
  const message = 'cannot drop due to the following dependent objects : function everyone, function people'
  const { functions } = await exported(trellis)
  assert.deepEqual(functions, ['everyone', 'people'])
  assert.deepEqual(await runSqlError(trellis, others), refused('dependency-error', message))
  assert.deepEqual((await exported(trellis)).functions, functions)
  await runSql(trellis, others, { cascade: true })
  assert.deepEqual((await exported(trellis)).functions, [])
  await trellis.op('track_function', 'everyone')
  await runSql(
    trellis,
    'create or replace function everyone(low int) returns setof person language sql stable as $$ select * from person $$',
  )
  assert.deepEqual((await exported(trellis)).functions, ['everyone'])
})

test('tracked functions cannot be overloaded', async (t) => {
  const trellis = await office(t)
  const overload = (of: string) =>
    `create function ${of}(date) returns setof person language sql stable as $$ select * from person $$`
  assert.deepEqual(
    await runSqlError(trellis, `${overload('people')}; ${overload('everyone')}`, { cascade: true }),
    refused('not-supported', 'the following tracked function(s) cannot be overloaded: everyone, people'),
  )
  await runSql(trellis, overload('mine'))
  assert.deepEqual((await exported(trellis)).functions, ['everyone', 'people'])
})

test('tracked functions cannot become VOLATILE', async (t) => {
  const trellis = await office(t)
  assert.deepEqual(
    await runSqlError(trellis, 'alter function everyone volatile'),
    refused('not-supported', 'type of function "everyone" is altered to "VOLATILE" which is not supported now'),
  )
  await runSql(trellis, 'alter function everyone immutable')
})

test('the replacement of a tracked function is served', async (t) => {
  const trellis = await office(t)
  await runSql(
    trellis,
    'create or replace function everyone() returns setof person language sql stable as $$ select * from person where id = 2 $$',
  )
  assert.deepEqual(await trellis.graphql('{ everyone { id } }'), { data: { everyone: [{ id: 2 }] } })
  await runSql(
    trellis,
    `alter table person rename to human;
      create or replace function everyone() returns setof human language sql stable as $$ select * from human where id = 2 $$`,
  )
  assert.deepEqual(await trellis.graphql('{ everyone { id label __typename } }'), {
    data: { everyone: [{ id: 2, label: 'Bob', __typename: 'human' }] },
  })
})

test('a renamed tracked function counts as missing', async (t) => {
  const trellis = await office(t)
  const { status, body } = await runSqlError(trellis, 'alter function everyone rename to nobody')
  const { internal, ...rest } = body as { internal: unknown }
  assert.equal(status, 500)
  assert.deepEqual(rest, {
    path: '$.args',
    error: 'cannot continue due to newly found inconsistent metadata',
    code: 'unexpected',
  })
  const reason = 'in function "everyone": no such function exists in postgres : "everyone"'
  assert.deepEqual(internal, [{ type: 'function', definition: name('everyone'), reason }])
})

test('computed fields depend on their function, even if another one takes its name', async (t) => {
  const trellis = await office(t)
  const dependent = refused(
    'dependency-error',
    'cannot drop due to the following dependent objects : computed field person.label',
  )
  const another = 'create function label_of(person) returns int language sql stable as $$ select $1.id $$'
  for (const sql of [
    'drop function label_of',
    'alter function label_of rename to name_of',
    `drop function label_of; ${another}`,
    `alter function label_of rename to name_of; ${another}`,
  ]) {
    assert.deepEqual(await runSqlError(trellis, sql), dependent)
  }
  await runSql(trellis, `drop function label_of; ${another}`, { cascade: true })
  assert.deepEqual((await exported(trellis)).fields, [])
  await trellis.op('add_computed_field', { table: 'person', name: 'label', definition: { function: 'label_of' } })
  assert.deepEqual(await trellis.graphql('{ person_by_pk(id: 1) { label } }'), { data: { person_by_pk: { label: 1 } } })
  await runSql(trellis, 'drop function label_of', { cascade: true })
  assert.deepEqual((await exported(trellis)).fields, [])
})

test('functions behind computed fields cannot be overloaded, nor become VOLATILE', async (t) => {
  const trellis = await office(t)
  assert.deepEqual(
    await runSqlError(
      trellis,
      'create function label_of(int) returns text language sql stable as $$ select null::text $$',
    ),
    refused(
      'not-supported',
      'The function "label_of" associated with computed field"label" of table "person" is being overloaded',
    ),
  )
  assert.deepEqual(
    await runSqlError(trellis, 'alter function label_of volatile', { cascade: true }),
    refused(
      'not-supported',
      'The type of function "label_of" associated with computed field "label" of table "person" is being altered to "VOLATILE"',
    ),
  )
})

test('dropping a table removes its computed fields, and with cascade its functions', async (t) => {
  const trellis = await office(t)
  await trellis.op('untrack_table', { table: { schema: 'crm', name: 'lead' }, cascade: true })
  assert.deepEqual(
    await runSqlError(trellis, 'drop table person cascade'),
    refused(
      'dependency-error',
      'cannot drop due to the following dependent objects : function everyone, function people',
    ),
  )
  await runSql(trellis, 'drop table person cascade', { cascade: true })
  assert.deepEqual(await exported(trellis), { functions: [], fields: [] })
})
