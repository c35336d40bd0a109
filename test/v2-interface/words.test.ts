// Answers and errors in the words of version 2: objects have a name and a source.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table writer (id int primary key, name text);
  create table book (id int primary key, writer_id int references writer, title text);
  create table colour (id int primary key);
  create function loud(writer) returns text language sql stable as 'select upper($1.name)'`

const named = (name: string) => ({ schema: 'public', name })

test('inconsistent objects have a name and a source', async (t) => {
  const trellis = await startTrellis(t, { sql })
  const ask = async (type: string, args: unknown, url = '/v1/metadata') => {
    const { status, body } = await trellis.request(url, { body: { type, args } })
    return { status, body }
  }
  const refusal = async (type: string, args: unknown, url?: string) => {
    const { status, body } = await ask(type, args, url)
    const { internal: _, hint: __, ...answer } = body as Record<string, unknown>
    return { status, ...answer }
  }
  const tables = [
    {
      table: named('book'),
      object_relationships: [{ name: 'writer', using: { foreign_key_constraint_on: 'writer_id' } }],
      select_permissions: [{ role: 'reader', permission: { columns: ['id'], filter: { writer: { id: { _eq: 1 } } } } }],
    },
    { table: named('writer'), computed_fields: [{ name: 'loud', definition: { function: named('loud') } }] },
    { table: named('colour') },
  ]
  await ask('replace_metadata', { version: 3, sources: [{ name: 'library', kind: 'postgres', tables }] })

  await t.test('dependents name their source', async () => {
    const dependents = 'permission book.reader.select in source "library", relationship book.writer in source "library"'
    assert.deepEqual(await refusal('pg_untrack_table', { table: 'writer', source: 'library' }), {
      status: 400,
      path: '$.args',
      error: `cannot drop due to the following dependent objects : ${dependents}`,
      code: 'dependency-error',
    })
    const drop = { sql: 'alter table book drop writer_id', source: 'library' }
    assert.deepEqual(await refusal('run_sql', drop, '/v2/query'), {
      status: 400,
      path: '$.args',
      error: 'cannot drop due to the following dependent objects : relationship book.writer in source "library"',
      code: 'dependency-error',
    })
    const { error } = (await refusal('run_sql', drop, '/v1/query')) as { error?: string }
    assert.equal(error, 'cannot drop due to the following dependent objects : relationship book.writer')
  })

  await t.test('an object that would be inconsistent is refused with its reason', async () => {
    const using = { manual_configuration: { remote_table: 'nowhere', column_mapping: { id: 'id' } } }
    const args = { table: 'book', name: 'lost', using }
    const former = (await refusal('create_object_relationship', args, '/v1/query')) as { error?: string; code?: string }
    const now = (await refusal('pg_create_object_relationship', args)) as { error?: string; code?: string }
    assert.deepEqual([former.code, now.code], ['constraint-violation', 'invalid-configuration'])
    assert.equal(now.error, `Inconsistent object: ${former.error}`)
  })

  await t.test('comments by the names of arguments in the documentation', async () => {
    const done = { status: 200, message: 'success' }
    const source = 'library'
    const relationship = { source, table: 'book', name: 'writer', comment: 'Who wrote it' }
    assert.deepEqual(await refusal('pg_set_relationship_comment', relationship), done)
    const permission = { source, table: 'book', role: 'reader', type: 'select', comment: 'Few' }
    assert.deepEqual(await refusal('pg_set_permission_comment', permission), done)
    const { body } = await ask('export_metadata', {})
    const [book] = (body as { sources: { tables: Record<string, { comment?: string }[]>[] }[] }).sources[0]!.tables
    assert.equal(book!['object_relationships']![0]!.comment, 'Who wrote it')
    assert.equal(book!['select_permissions']![0]!.comment, 'Few')
  })

  await t.test("an endpoint's errors are of its interface, also within a batch", async () => {
    const [untrack, permit] = ['pg_untrack_function', 'pg_create_function_permission'].map((type) => ({
      type,
      args: { function: 'lost', role: 'reader' },
    }))
    const later = 'function "lost" does not exist in source: library'
    assert.equal(((await refusal(untrack!.type, { function: 'lost' })) as { error?: string }).error, later)
    const former = (await refusal('untrack_function', 'lost', '/v1/query')) as { error?: string }
    assert.equal(former.error, 'function not found in cache "lost"')
    const { body } = await ask('bulk_keep_going', [permit, { type: 'pg_untrack_function', args: { function: 'lost' } }])
    const [first, second] = body as { error: string; path: string }[]
    assert.deepEqual([first!.error, second!.error, second!.path], [later, later, '$.args[1].args'])
  })

  await t.test('functions that do not exist, and inherited roles', async () => {
    const code = (status: number, code: string, error: string) => ({ status, path: '$.args', error, code })
    const second = await startTrellis(t, { database: trellis.database, settings: { graphqlInterface: '2' } })
    const refusal = async (type: string, args: unknown) => {
      const { status, body } = await second.request('/v1/metadata', { body: { type, args } })
      const { hint: _, ...answer } = body as Record<string, unknown>
      return { status, ...answer }
    }
    const missing = code(400, 'not-exists', 'function "lost" does not exist in source: library')
    assert.deepEqual(await refusal('pg_untrack_function', { function: 'lost' }), missing)
    assert.deepEqual(await refusal('pg_create_function_permission', { function: 'lost', role: 'reader' }), missing)
    const add = (role_name: string, ...role_set: string[]) => refusal('add_inherited_role', { role_name, role_set })
    const done = { status: 200, message: 'success' }
    assert.deepEqual(await add('both', 'reader', 'editor'), done)
    assert.deepEqual(await add('both', 'reader'), done)
    const exported = await second.op<{ inherited_roles: unknown }>('export_metadata', {})
    assert.deepEqual(exported.inherited_roles, [{ role_name: 'both', role_set: ['reader'] }])
    const itself = 'an inherited role name cannot be in the role combination'
    assert.deepEqual(await add('all', 'reader', 'all'), code(400, 'invalid-params', itself))
    assert.equal(((await add('reader', 'both')) as { code?: string }).code, 'cyclic-dependency')
    const gone = code(400, 'not-exists', `"all" inherited role doesn't exist`)
    assert.deepEqual(await refusal('drop_inherited_role', { role_name: 'all' }), gone)
    assert.deepEqual(await refusal('drop_inherited_role', { role_name: 'both' }), done)
  })

  await t.test('a REST endpoint that is refused has a name', async () => {
    const query = { collection_name: 'lost', query_name: 'all' }
    const endpoint = { name: 'books', url: 'books', methods: ['GET'], definition: { query } }
    const { body } = await ask('create_rest_endpoint', endpoint)
    const reason = 'Inconsistent object: in endpoint books: query collection with name "lost" does not exist'
    assert.deepEqual(body, {
      ...{ path: '$.args', error: reason, code: 'invalid-configuration' },
      internal: [{ type: 'rest_endpoint', name: 'rest_endpoint books', definition: endpoint, reason }],
    })
  })

  await t.test('two root fields with one name are refused', async () => {
    const configuration = { custom_root_fields: { select: 'book' } }
    await ask('pg_untrack_table', { table: 'colour' })
    assert.deepEqual(await refusal('pg_track_table', { table: 'colour', configuration }), {
      status: 500,
      path: '$.args',
      error: 'found duplicate fields in selection set for query root: book',
      code: 'unexpected',
    })
    await ask('pg_track_table', { table: 'colour' })
  })

  await t.test('lists of inconsistent objects, and of reload_metadata', async () => {
    assert.deepEqual((await ask('reload_metadata', { reload_sources: true })).body, {
      message: 'success',
      is_consistent: true,
    })
    await trellis.sql('drop table colour; drop function loud')
    const reason = 'Inconsistent object: no such table/view exists in source: "colour"'
    const inconsistent_objects = [
      { type: 'table', name: 'table colour in source library', definition: 'colour', reason },
      {
        type: 'computed_field',
        name: 'computed_field loud in table writer in source library',
        definition: {
          table: named('writer'),
          name: 'loud',
          definition: { function: named('loud') },
          source: 'library',
        },
        reason: `Inconsistent object: in table "writer": in computed field "loud": no such function exists: "loud"`,
      },
    ]
    const args = { reload_sources: ['library'], recreate_event_triggers: ['library'], reload_remote_schemas: [] }
    const { body } = await ask('reload_metadata', args)
    const { inconsistent_objects: listed, ...answer } = body as { inconsistent_objects: { type: string }[] }
    assert.deepEqual(answer, { message: 'success', is_consistent: false })
    const sorted = listed.toSorted((a, b) => b.type.localeCompare(a.type))
    assert.deepEqual(
      sorted.map(({ type }) => type),
      ['table', 'computed_field'],
    )
    assert.deepEqual(sorted[0], inconsistent_objects[0])
    const { name, definition } = sorted[1] as unknown as (typeof inconsistent_objects)[number]
    assert.equal(name, inconsistent_objects[1]!.name)
    assert.equal((definition as { source?: string }).source, 'library')
    assert.deepEqual((await ask('get_inconsistent_metadata', {})).body, {
      is_consistent: false,
      inconsistent_objects: listed,
    })
    assert.deepEqual(await refusal('reload_metadata', { reload_sources: ['library', 'other'] }), {
      status: 400,
      path: '$.args',
      error: 'Source with name "other" not found in metadata',
      code: 'not-exists',
    })
    assert.deepEqual(await refusal('reload_metadata', { reload_remote_schemas: ['far'] }), {
      status: 400,
      path: '$.args',
      error: 'Remote schema with name "far" not found in metadata',
      code: 'not-exists',
    })
    assert.deepEqual(await trellis.op('reload_metadata', {}), { message: 'success' })
    assert.ok(Array.isArray(await trellis.op('get_inconsistent_metadata', {})))
    assert.deepEqual((await ask('drop_inconsistent_metadata', {})).body, { message: 'success' })
  })
})
