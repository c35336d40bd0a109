import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadPlugins } from '../../core/engine/plugins.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const sql = `
  create table ship (id int primary key, created_at timestamptz);
  create table crew (id int primary key, name text);
  insert into ship values (1, current_date - interval '2 days 3 hours'), (2, null);
`
const source = fileURLToPath(new URL('../../examples/notes.ts', import.meta.url))
const notFound = { path: '$', error: 'resource does not exist', code: 'not-found' }

const startNotes = (t: TestContext, settings = {}) =>
  startTrellis(t, { sql, settings: { plugins: [source], ...settings } })

async function trackShips(trellis: TestTrellis) {
  await trellis.op('bulk', [
    { type: 'track_table', args: 'ship' },
    { type: 'track_table', args: 'crew' },
    {
      type: 'create_select_permission',
      args: { table: 'ship', role: 'guest', permission: { columns: ['id'], filter: {} } },
    },
  ])
  await trellis.op('add_note', { name: 'a', table: 'ship', text: 'Leaks.' })
  await trellis.op('add_note', { name: 'b', table: { schema: 'public', name: 'crew' }, text: 'Sleeps.' })
}

test('the example adds an operation, and its notes are part of the metadata', async (t) => {
  const trellis = await startNotes(t)
  await trackShips(trellis)
  const stored = [
    { name: 'a', table: { schema: 'public', name: 'ship' }, text: 'Leaks.' },
    { name: 'b', table: { schema: 'public', name: 'crew' }, text: 'Sleeps.' },
  ]
  const { notes } = await trellis.op<{ notes: unknown }>('export_metadata', {})
  assert.deepEqual(notes, stored)
  const exported = await trellis.op('export_metadata', {})
  await trellis.op('clear_metadata', {})
  assert.deepEqual((await trellis.request('/notes')).body, [])
  await trellis.op('replace_metadata', exported)
  assert.deepEqual((await trellis.request('/notes')).body, stored)
})

test('the operation of the example checks its arguments and its rules', async (t) => {
  const trellis = await startNotes(t)
  await trackShips(trellis)
  const refused = await trellis.opError('add_note', { name: 'a', table: 'ship', text: 'Again.' })
  const body = { path: '$.args.name', error: 'note "a" already exists', code: 'already-exists' }
  assert.deepEqual(refused, { status: 400, body })
  const untyped = await trellis.opError('add_note', { name: 'c', table: 'ship', text: 5 })
  assert.equal(untyped.status, 400)
  const { path, code } = untyped.body as { path: string; code: string }
  assert.deepEqual({ path, code }, { path: '$.text', code: 'parse-failed' })
  const untracked = await trellis.opError('add_note', { name: 'c', table: 'nowhere', text: 'x' })
  assert.equal(untracked.status, 400)
  assert.equal((await trellis.request('/notes')).text.includes('nowhere'), false)
})

test('a table with notes is untracked by cascade only, together with its notes', async (t) => {
  const trellis = await startNotes(t)
  await trackShips(trellis)
  const refused = await trellis.opError('untrack_table', { table: 'crew' })
  assert.deepEqual(refused, {
    status: 400,
    body: {
      path: '$.args',
      error: 'cannot drop due to the following dependent objects : note b',
      code: 'dependency-error',
    },
  })
  await trellis.op('untrack_table', { table: 'crew', cascade: true })
  const { body } = await trellis.request<{ name: string }[]>('/notes')
  assert.deepEqual(
    body.map(({ name }) => name),
    ['a'],
  )
})

test('the relational field of the example is answered by the same statement, for roles that may read its column', async (t) => {
  const trellis = await startNotes(t)
  await trackShips(trellis)
  const answer = await trellis.graphql('{ ship(order_by: {id: asc}) { id old: age } crew { id } }')
  assert.deepEqual(answer, {
    data: {
      ship: [
        { id: 1, old: '2 days 03:00:00' },
        { id: 2, old: null },
      ],
      crew: [],
    },
  })
  const hidden = await trellis.graphql('{ ship { age } }', {}, { role: 'guest' })
  assert.match(JSON.stringify(hidden), /field \\"age\\" not found in type: 'ship'/)
  const elsewhere = await trellis.graphql('{ crew { age } }')
  assert.match(JSON.stringify(elsewhere), /field \\"age\\" not found in type: 'crew'/)
})

test('the resolved field of the example is a root field beside tables, and respects the rights of each role', async (t) => {
  const trellis = await startNotes(t)
  await trackShips(trellis)
  const both = await trellis.graphql('{ notes ship(where: {id: {_eq: 1}}) { id } }')
  assert.deepEqual(both, { data: { notes: ['Leaks.', 'Sleeps.'], ship: [{ id: 1 }] } })
  assert.deepEqual(await trellis.graphql('{ notes }', {}, { role: 'guest' }), { data: { notes: ['Leaks.'] } })
  const types = await trellis.graphql('{ __type(name: "ship") { fields { name type { name } } } }')
  assert.match(JSON.stringify(types), /\{"name":"age","type":\{"name":"String"\}\}/)
})

test('the API of the example opens its route and its operation, while its fields and metadata stay', async (t) => {
  const open = await startNotes(t, { enabledApis: ['notes', 'metadata', 'graphql'] })
  await trackShips(open)
  const { status, body } = await open.request('/notes', { role: 'guest' })
  const error = 'You have to be an admin to access this endpoint'
  assert.deepEqual([status, body], [400, { path: '$', error, code: 'access-denied' }])

  const settings = { plugins: [source], enabledApis: ['metadata', 'graphql'] }
  const closed = await startTrellis(t, { database: open.database, settings })
  const gone = await closed.request('/notes')
  assert.deepEqual([gone.status, gone.body], [404, notFound])
  const unknown = await closed.opError('add_note', { name: 'c', table: 'ship', text: 'x' })
  assert.equal(unknown.status, 400)
  assert.deepEqual(await closed.graphql('{ notes }'), { data: { notes: ['Leaks.', 'Sleeps.'] } })
})

test('the example is loaded by the name of a package too', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'trellis-package-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const folder = join(directory, 'node_modules', 'trellis-notes')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"name": "trellis-notes", "type": "module", "exports": "./notes.js"}')
  writeFileSync(join(folder, 'notes.js'), stripTypeScriptTypes(readFileSync(source, 'utf8')))
  const [loaded] = await loadPlugins(['trellis-notes'], directory)
  assert.equal(loaded?.source, 'trellis-notes')
  const trellis = await startTrellis(t, { sql, plugins: [loaded!.plugin] })
  await trackShips(trellis)
  assert.deepEqual(await trellis.graphql('{ notes }'), { data: { notes: ['Leaks.', 'Sleeps.'] } })
})

test('the example fits on a page', () => {
  assert.ok(readFileSync(source, 'utf8').split('\n').length < 100)
})
