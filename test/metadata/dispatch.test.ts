import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type TSchema, Type } from '@sinclair/typebox'
import { definePlugin, type Plugin } from '../../core/engine/plugin.ts'
import { badRequest } from '../../core/errors/errors.ts'
import { type Operation, type OperationContext, operation } from '../../core/operations/operation.ts'
import { OperationRegistry } from '../../core/operations/registry.ts'
import { marksPlugin, setMotto } from './marks-plugin.ts'
import { startService } from './service.ts'

const tables = 'create table a (id int primary key); create table b (id int primary key)'

const plugin = (added: Operation<TSchema>): Plugin =>
  definePlugin({ name: 'extra', register: ({ operations }) => operations.add(added) })

test('an operation that is refused leaves document, database and model as they were', async (t) => {
  const failing = operation({
    type: 'test_fail_late',
    args: Type.Object({}),
    async handle({ metadata, transaction }) {
      metadata.tables.push({ table: { schema: 'public', name: 'b' } })
      await transaction.rows('create table made (id int)')
      throw badRequest('bad-request', 'too late')
    },
  })
  const { op, sql, service, refused } = await startService(t, { sql: tables, plugins: [plugin(failing)] })
  await op('track_table', 'a')
  const { model, document } = service
  const expected = { status: 400, code: 'bad-request', path: '$.args', error: 'too late' }
  await refused('test_fail_late', {}, expected)
  assert.equal(service.model, model)
  assert.equal(service.document, document)
  assert.deepEqual(await sql(`select to_regclass('made')::text as made`), [{ made: null }])
  assert.equal((await sql('select * from trellis.metadata_entry')).length, 1)
})

test('the members of a bulk succeed or fail together', async (t) => {
  const { op, service, refused, sql } = await startService(t, { sql: tables })
  const track = (table: string) => ({ type: 'track_table', args: table })
  await refused('bulk', [track('a'), { type: 'run_sql', args: { sql: 'create table c (id int)' } }, track('nowhere')], {
    status: 400,
    code: 'constraint-violation',
    path: '$.args[2].args',
    error: 'no such table/view exists in postgres: "nowhere"',
  })
  assert.equal(service.model.tables.size, 0)
  assert.deepEqual(await sql(`select to_regclass('c')::text as c`), [{ c: null }])
  const results = await op('bulk', [
    track('a'),
    { type: 'bulk', args: [track('b'), { type: 'export_metadata', args: {} }] },
    { type: 'bulk', args: [] },
  ])
  const names = [{ table: { schema: 'public', name: 'a' } }, { table: { schema: 'public', name: 'b' } }]
  const success = { message: 'success' }
  assert.deepEqual(results, [success, [success, { version: 2, tables: names }], []])
})

test('errors carry the path of the member, decoding errors that of its arguments', async (t) => {
  const { refusal } = await startService(t, { sql: tables, plugins: [marksPlugin()] })
  const nested = (member: unknown) => ({
    type: 'bulk',
    args: [{ type: 'bulk', args: [{ type: 'export_metadata', args: {} }, member] }],
  })
  const place = async (envelope: unknown) => {
    const { path, error } = await refusal(envelope)
    return [path, error]
  }
  const mark = { type: 'test_add_mark', args: { table: 'a', mark: { name: 'm' } } }
  assert.deepEqual(await place(mark), ['$.args.table', 'no such table'])
  assert.deepEqual(await place(nested(mark)), ['$.args[0].args[1].args.table', 'no such table'])
  const empty = { type: 'test_add_mark', args: { table: 'a', mark: { name: '' } } }
  assert.deepEqual(await place(empty), ['$.mark.name', 'empty string not allowed'])
  assert.deepEqual(await place(nested(empty)), ['$[0][1].mark.name', 'empty string not allowed'])
  assert.deepEqual(await place(nested({ args: 1 })), ['$[0][1]', 'key "type" not found'])
  const wrongVersion = { type: 'track_table', version: 3, args: 'a' }
  assert.deepEqual(await place(nested(wrongVersion)), ['$[0][1].version', 'expected 1 or 2, encountered 3'])
})

test('malformed envelopes are refused', async (t) => {
  const { refusal } = await startService(t)
  const answer = async (envelope: unknown) => {
    const { status, code, path, error } = await refusal(envelope)
    assert.deepEqual([status, code], [400, 'parse-failed'])
    return `${path} ${error}`
  }
  const object = 'parsing Object failed, expected Object, but encountered'
  assert.equal(await answer('x'), `$ ${object} String`)
  assert.equal(await answer(null), `$ ${object} Null`)
  assert.equal(await answer([]), `$ ${object} Array`)
  assert.equal(await answer({}), '$ key "type" not found')
  assert.equal(await answer({ type: 'bulk' }), '$ key "args" not found')
  assert.equal(
    await answer({ type: 1, args: {} }),
    '$.type parsing Text failed, expected String, but encountered Number',
  )
  assert.equal(await answer({ type: 'x', args: {} }), '$ unknown type "x"')
  assert.match(await answer({ type: '__proto__', args: {} }), /^\$ unknown type "__proto__"/)
  assert.equal(await answer({ type: 'untrack_table', version: 2, args: 'a' }), '$ unknown type "untrack_table"')
  const version = '$.version parsing Int failed, expected Number, but encountered String'
  assert.equal(await answer({ type: 'track_table', version: '2', args: 'a' }), version)
})

test('other roles can call neither admin operations nor a bulk that contains one', async (t) => {
  const open = operation({
    type: 'test_open',
    args: Type.Object({}),
    adminOnly: false,
    access: 'any',
    editsMetadata: false,
    handle: ({ session }) => session.role,
  })
  const { op, refusal } = await startService(t, { plugins: [plugin(open)] })
  const call = { type: 'test_open', args: {} }
  assert.equal(await op('test_open', {}, { role: 'guest' }), 'guest')
  assert.deepEqual(await op('bulk', [call], { role: 'guest' }), ['guest'])
  for (const envelope of [
    { type: 'export_metadata', args: {} },
    { type: 'bulk', args: [call, { type: 'bulk', args: [{ type: 'export_metadata', args: {} }] }] },
  ]) {
    const { internal: _, ...answer } = await refusal(envelope, 'guest')
    const error = 'restricted access : admin only'
    assert.deepEqual(answer, { status: 400, code: 'access-denied', path: '$.args', error })
  }
})

test('members of a bulk must agree on reading or writing', async (t) => {
  const { op, refused } = await startService(t)
  const read = { type: 'run_sql', args: { sql: 'select 1', read_only: true } }
  const write = { type: 'run_sql', args: { sql: 'select 1' } }
  const problem = 'incompatible access mode requirements in bulk query, expected access mode:'
  await refused('bulk', [write, read], {
    status: 400,
    code: 'bad-request',
    path: '$',
    error: `${problem} READ WRITE but $.args[1] forces READ ONLY`,
  })
  await refused('bulk', [read, { type: 'bulk', args: [write] }], {
    status: 400,
    code: 'bad-request',
    path: '$',
    error: `${problem} READ ONLY but $.args[1] forces READ WRITE`,
  })
  assert.equal(((await op('bulk', [read, read])) as unknown[]).length, 2)
})

test('triggers and functions see the session during the transaction', async (t) => {
  const { op, connections } = await startService(t)
  const { result } = (await op('run_sql', { sql: `select current_setting('service.user')` })) as { result: string[][] }
  assert.deepEqual(JSON.parse(result[1]![0]!), { 'x-service-role': 'admin' })
  const after = await connections.rows(`select current_setting('service.user', true) as setting`)
  assert.ok(after.every(({ setting }) => !setting))
})

test('work after the commit runs after it, and its failure changes nothing', async (t) => {
  const seen: unknown[] = []
  const later = operation({
    type: 'test_later',
    args: Type.Object({}),
    async handle({ metadata, afterCommit }) {
      metadata.tables.push({ table: { schema: 'public', name: 'a' } })
      afterCommit(async () => {
        seen.push(await running.sql('select key from trellis.metadata_entry'), running.service.model.tables.size)
      })
      afterCommit(() => Promise.reject(new Error('too bad')))
    },
  })
  const running = await startService(t, { sql: tables, plugins: [plugin(later)] })
  assert.deepEqual(await running.op('test_later', {}), { message: 'success' })
  assert.deepEqual(seen, [[{ key: JSON.stringify('["public","a"]') }], 1])
  assert.ok(running.log.some(({ type, detail }) => type === 'unstructured' && detail.includes('too bad')))
})

test('an edit within an edit is refused, and not one after the commit', async (t) => {
  const editing = (type: string, run: (context: OperationContext) => Promise<unknown>) =>
    operation({
      ...{ type, args: Type.Object({}) },
      async handle(context) {
        await run(context)
      },
    })
  const track = () => running.op('track_table', { table: 'a' })
  const now = editing('test_now', track)
  const later = editing('test_later', async ({ afterCommit }) => {
    // Work that begins during the edit may edit once it is over.
    const over = sleep(300).then(track)
    afterCommit(async () => {
      await over
    })
  })
  const register: Plugin['register'] = ({ operations }) => operations.add(now, later)
  const running = await startService(t, { sql: tables, plugins: [definePlugin({ name: 'edits', register })] })
  await running.refused('test_now', {}, { status: 500, code: 'unexpected', path: '$.args', error: 'internal error' })
  assert.equal(running.service.model.tables.size, 0)
  assert.deepEqual(await running.op('test_later', {}), { message: 'success' })
  assert.equal(running.service.model.tables.size, 1)
})

test('an operation that does not edit sees the frozen document and cannot change it', async (t) => {
  const peek = operation({
    type: 'test_peek',
    args: Type.Object({}),
    editsMetadata: false,
    handle({ metadata }) {
      metadata.tables.push({ table: { schema: 'public', name: 'a' } })
    },
  })
  const { refusal, service } = await startService(t, { plugins: [plugin(peek)] })
  const { status, code, path } = await refusal({ type: 'test_peek', args: {} })
  assert.deepEqual([status, code, path], [500, 'unexpected', '$.args'])
  assert.deepEqual(service.document.tables, [])
})

test('a handler cannot add an entry that exists', async (t) => {
  const { op, refusal, service } = await startService(t, { sql: tables, plugins: [marksPlugin()] })
  await op('track_table', 'a')
  const sticker = { name: 's', table: 'a', text: 1 }
  await op('test_add_sticker', sticker)
  const { status, code } = await refusal({ type: 'test_add_sticker', args: sticker })
  assert.deepEqual([status, code], [400, 'already-exists'])
  assert.equal(service.document.test_stickers.length, 1)
})

test('checks report the object, the objects that broke, or all broken objects', async (t) => {
  const { refusal, op, sql, service } = await startService(t, { sql: tables, plugins: [marksPlugin()] })
  await op('track_table', 'a')
  await op('track_table', 'b')
  await op('test_add_sticker', { name: 's', table: 'b', text: 1 })
  const answer = async (type: string, args: unknown) => {
    const { internal, ...rest } = await refusal({ type, args })
    return [rest.status, rest.code, rest.path, rest.error, (internal as { type: string }[]).map((each) => each.type)]
  }
  const bad = { table: 'a', mark: { name: 'bad' } }
  assert.deepEqual(await answer('test_add_mark', bad), [400, 'constraint-violation', '$.args', 'a bad mark', ['mark']])
  const orphan = 'cannot drop due to the following dependent objects : sticker s'
  const { error } = await refusal({ type: 'untrack_table', args: { table: 'b' } })
  assert.equal(error, orphan)
  await sql('drop table b')
  const mark = { table: 'b', mark: { name: 'm' } }
  assert.deepEqual(await answer('test_add_mark', mark), [
    400,
    'constraint-violation',
    '$.args',
    'table "b" does not exist',
    ['mark'],
  ])
  assert.deepEqual(await answer('set_table_is_enum', { table: 'b', is_enum: true }), [
    400,
    'constraint-violation',
    '$.args',
    'no such table/view exists in postgres: "b"',
    ['table'],
  ])
  assert.equal(service.model.inconsistencies.length, 0)
  await service.reload()
  assert.equal(service.model.inconsistencies.length, 2)
  await op('test_add_mark', { table: 'a', mark: { name: 'm' } })
  const strict = 'cannot continue due to inconsistent metadata'
  const kept = { version: 2, tables: [{ table: 'b' }] }
  assert.deepEqual(await answer('replace_metadata', kept), [400, 'unexpected', '$.args', strict, ['table']])
})

test('two plugins cannot declare the same operation, slice or facet', () => {
  const operations = new OperationRegistry(() => true)
  operations.add({ plugin: 'one', api: 'metadata' }, setMotto)
  assert.throws(
    () => operations.add({ plugin: 'two', api: 'metadata' }, setMotto),
    /operation "test_set_motto" version 1 is declared by plugins "one" and "two"/,
  )
})

test('operations of a disabled API are not found', () => {
  const operations = new OperationRegistry((api) => api === 'metadata')
  operations.add({ plugin: 'one', api: 'other' }, setMotto)
  assert.equal(operations.find('test_set_motto', 1), undefined)
  assert.deepEqual(operations.all(), [])
})

test('an effect follows the first model and every change of it, in the transaction that stores it', async (t) => {
  const follows = definePlugin({
    name: 'follows',
    register: ({ metadata }) =>
      metadata.effect(async ({ previous, next, transaction }) => {
        if (next.tables.size > 1) throw badRequest('bad-request', 'one is enough')
        await transaction.rows('insert into followed values ($1)', [
          `${previous?.tables.size ?? 'unknown'} to ${next.tables.size}`,
        ])
      }),
  })
  const { op, sql, service } = await startService(t, {
    sql: `${tables}; create table followed (what text)`,
    plugins: [follows],
  })
  await op('track_table', 'a')
  await assert.rejects(op('track_table', 'b'), /one is enough/)
  assert.equal(service.model.tables.size, 1)
  await op('untrack_table', { table: 'a' })
  assert.deepEqual(await sql('select what from followed'), [
    { what: 'unknown to 0' },
    { what: '0 to 1' },
    { what: '1 to 0' },
  ])
})

test('a change is not served if its handler swallowed a failed statement', async (t) => {
  const hiding = operation({
    type: 'test_hide',
    args: Type.Object({}),
    async handle({ metadata, transaction, afterCommit }) {
      afterCommit(() => assert.fail('nothing was committed'))
      await transaction.rows('select * from nowhere').catch(() => {})
      metadata.test_motto = { text: 'hidden' }
    },
  })
  const { refusal, service } = await startService(t, { plugins: [plugin(hiding), marksPlugin()] })
  const { status } = await refusal({ type: 'test_hide', args: {} })
  assert.equal(status, 500)
  assert.deepEqual(service.document.test_motto, { text: '' })
})

test('a table that a bulk untracks and tracks again is served', async (t) => {
  const { op, service } = await startService(t, { sql: tables })
  const document = { tables: [{ table: 'a' }, { table: 'b' }] }
  const replace = { type: 'replace_metadata', args: document }
  await op('bulk', [replace, { type: 'clear_metadata', args: {} }, replace])
  assert.equal(service.model.tables.size, 2)
})

test('members of a bulk see the database changes of earlier members', async (t) => {
  const { op, service, sql } = await startService(t)
  const make = (name: string) => ({ type: 'run_sql', args: { sql: `create table ${name} (id int primary key)` } })
  const track = (table: string) => ({ type: 'track_table', args: table })
  const permit = (table: string, column: string) => ({
    type: 'create_select_permission',
    args: { table, role: 'r', permission: { columns: [column], filter: {} } },
  })
  await op('bulk', [
    make('a'),
    track('a'),
    make('b'),
    track('b'),
    { type: 'run_sql', args: { sql: 'alter table b add column more text' } },
    permit('a', 'id'),
    permit('b', 'more'),
    ...['c', 'd', 'e', 'f'].flatMap((name) => [make(name), track(name)]),
  ])
  assert.equal(service.model.tables.size, 6)
  assert.deepEqual(service.model.inconsistencies, [])
  assert.equal((await sql('select * from trellis.metadata_entry')).length, 6)
})

test('reloading in a bulk keeps the edits before it', async (t) => {
  const { op, service } = await startService(t, { sql: tables })
  await op('bulk', [
    { type: 'track_table', args: 'a' },
    { type: 'reload_metadata', args: {} },
    { type: 'track_table', args: 'b' },
  ])
  assert.equal(service.model.tables.size, 2)
})
