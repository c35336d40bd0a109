// Slices and facets that read each other's results, claim type names, and follow renames.

import assert from 'node:assert/strict'
import test from 'node:test'
import { definePlugin } from '../../core/engine/plugin.ts'
import { nameKey } from '../../core/names/names.ts'
import { notesPlugin, shapesPlugin, usesPlugin } from './order-plugin.ts'
import { startService } from './service.ts'

const sql = `
  create table a (id int primary key, label text);
  create table b (id int primary key, a_id int references a)`

test('slices and facets read the results of earlier slices, and are resolved again when these change', async (t) => {
  const resolved: string[] = []
  const plugins = [usesPlugin((what) => resolved.push(what)), shapesPlugin()]
  const { op, service } = await startService(t, { sql, plugins })
  await op('replace_metadata', {
    version: 2,
    tables: [{ table: 'a', test_shaped: [{ name: 'x', shape: 's' }] }, { table: 'b' }],
    test_shapes: [{ name: 's', types: ['S', 'T'] }],
    test_uses: [{ name: 'u', shape: 's' }],
  })
  const extension = () =>
    service.model.tables.get(nameKey({ schema: 'public', name: 'a' }))?.extensions.get('test_shaped')
  assert.deepEqual([...(service.model.slices.test_uses ?? [])], [['u', 2]])
  assert.deepEqual([...(extension() ?? [])], [['x', 2]])
  resolved.length = 0
  await op('set_table_custom_fields', { table: 'b', custom_column_names: { a_id: 'of' } }, { version: 2 })
  assert.deepEqual(resolved, [])
  await op('test_set_shape', { name: 's', types: ['S'] })
  assert.deepEqual(resolved, ['a.x', 'uses'])
  assert.deepEqual([...(service.model.slices.test_uses ?? [])], [['u', 1]])
  assert.deepEqual([...(extension() ?? [])], [['x', 1]])
})

test('an object is inconsistent while a result that it needs is missing', async (t) => {
  const { op, refused } = await startService(t, { sql, plugins: [usesPlugin(), shapesPlugin()] })
  const metadata = { version: 2, tables: [{ table: 'a', test_shaped: [{ name: 'x', shape: 's' }] }] }
  await refused('replace_metadata', metadata, {
    status: 400,
    code: 'unexpected',
    path: '$.args',
    error: 'cannot continue due to inconsistent metadata',
  })
  const args = { allow_inconsistent_metadata: true, metadata }
  const { inconsistent_objects: objects } = (await op('replace_metadata', args, { version: 2 })) as {
    inconsistent_objects: { reason: string }[]
  }
  assert.deepEqual(
    objects.map(({ reason }) => reason),
    ['there is no shape "s"'],
  )
})

test('contradictory orders end the start with an error that names the plugins', async (t) => {
  const refusal = (
    ...plugins: Parameters<typeof startService>[1] extends { plugins?: readonly (infer P)[] } | undefined ? P[] : never
  ) =>
    startService(t, { sql: '', plugins }).then(
      () => assert.fail('it started'),
      ({ message }: Error) => message,
    )
  assert.equal(
    await refusal(usesPlugin(), shapesPlugin({ after: ['test_uses'] })),
    'The facet "test_shaped" of plugin "uses" comes after the slice "test_shapes" of plugin "shapes", which is resolved later: it must come before the stage "fields"',
  )
  assert.equal(
    await refusal(usesPlugin(undefined, { after: [] }), shapesPlugin({ after: ['test_uses'] })),
    'Slices of the metadata form a cycle: slice "test_uses" of plugin "uses" after slice "test_shapes" of plugin "shapes" after slice "test_uses" of plugin "uses"',
  )
  const early = definePlugin({
    name: 'early',
    register({ metadata }) {
      metadata.slice('test_motto', {
        schema: {} as never,
        empty: { text: '' },
        after: ['test_shapes'],
        before: 'fields',
      })
    },
  })
  assert.equal(
    await refusal(early, shapesPlugin({})),
    'The slice "test_motto" of plugin "early" comes after the slice "test_shapes" of plugin "shapes", which is resolved later: it must come before the stage "fields"',
  )
})

test('a result can only be read if it is declared', async (t) => {
  const plugins = [usesPlugin(undefined, { after: [] }), shapesPlugin()]
  const { op } = await startService(t, { sql, plugins })
  const metadata = { version: 2, tables: [{ table: 'a', test_shaped: [{ name: 'x', shape: 's' }] }] }
  const args = { allow_inconsistent_metadata: true, metadata }
  const { inconsistent_objects: objects } = (await op('replace_metadata', args, { version: 2 })) as {
    inconsistent_objects: { reason: string }[]
  }
  assert.deepEqual(
    objects.map(({ reason }) => reason),
    ['to read the result of "test_shapes", list it in "after"'],
  )
})

const taken = (name: string) => ({
  status: 400,
  code: 'unexpected',
  path: '$.args',
  error: `found conflicting definitions for "${name}" when collecting types from the schema`,
})

test('type names can be claimed once, and those of tables are taken', async (t) => {
  const { op, refused, service } = await startService(t, { sql, plugins: [shapesPlugin()] })
  await op('track_table', 'a')
  const own = [
    'a',
    'a_bool_exp',
    'a_max_fields',
    'a_inc_input',
    'a_arr_rel_insert_input',
    'String_comparison_exp',
    'Int',
  ]
  for (const name of [...own, 'query_root', '__Type']) {
    await refused('test_set_shape', { name: 's', types: ['S', name] }, taken(name))
  }
  await op('test_set_shape', { name: 's', types: ['S', 'b_bool_exp', 'uuid'] })
  await refused('test_set_shape', { name: 'other', types: ['S'] }, taken('S'))
  await refused('track_table', 'b', { ...taken('b_bool_exp') })
  assert.deepEqual([...(service.model.slices.test_shapes ?? [])], [['s', 3]])
  await op('test_set_shape', { name: 's', types: ['S'] })
  await op('track_table', 'b')
})

test('a type whose name another object takes outside of operations is listed', async (t) => {
  const { op, service } = await startService(t, { sql, plugins: [shapesPlugin()] })
  const metadata = { version: 2, tables: [{ table: 'a' }], test_shapes: [{ name: 's', types: ['a_bool_exp'] }] }
  await op('replace_metadata', { allow_inconsistent_metadata: true, metadata }, { version: 2 })
  assert.deepEqual(
    service.model.inconsistencies.map(({ type, reason }) => [type, reason]),
    [['shape', taken('a_bool_exp').error]],
  )
})

test('every kind of rename reaches slices and facets', async (t) => {
  const { op, service } = await startService(t, { sql, plugins: [notesPlugin] })
  await op('replace_metadata', {
    version: 2,
    tables: [
      {
        table: 'a',
        array_relationships: [{ name: 'bs', using: { foreign_key_constraint_on: { table: 'b', column: 'a_id' } } }],
      },
      { table: 'b' },
    ],
    test_notes: [
      { table: 'a', columns: ['label', 'bs'] },
      { table: 'b', columns: ['label'] },
    ],
  })
  await op('run_sql', { sql: 'alter table a rename label to title; alter table b rename to c' })
  await op('rename_relationship', { table: 'a', name: 'bs', new_name: 'cs' })
  const notes = service.document.test_notes.map(({ table, columns }) => [table.name, columns])
  assert.deepEqual(notes, [
    ['a', ['title', 'cs']],
    ['c', ['label']],
  ])
})

test('an export is the same after a restart', async (t) => {
  const first = await startService(t, { sql, plugins: [notesPlugin] })
  await first.op('replace_metadata', {
    version: 2,
    tables: [],
    test_notes: ['z', 'b', 'a'].map((table) => ({ table, columns: [] })),
  })
  const exported = JSON.stringify(await first.op('export_metadata', {}))
  await first.service.stop()
  const second = await startService(t, { database: first.database, plugins: [notesPlugin] })
  assert.equal(JSON.stringify(await second.op('export_metadata', {})), exported)
})
