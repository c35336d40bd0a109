// `trellis migrate ...`, `deploy`, `sql`, `run`, `seed`, `track` and `suggest` against one server and its database.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { watchOn } from '../../cli/progress.ts'
import { connectTo } from '../support/database.ts'
import { startTrellis } from '../support/trellis.ts'
import { project, type TestProject } from './command-line.ts'

const lockKey = '7310868735955493747'

/** The states of the migrations by version. */
const states = async (own: TestProject) => {
  const { migrations } = JSON.parse((await own.run('migrate status --json')).out)
  return Object.fromEntries(migrations.map((each: { version: string; state: string }) => [each.version, each.state]))
}

test('migrations and deploy', { timeout: 120_000 }, async (t) => {
  const server = await startTrellis(t)
  const own = project(t, ['--endpoint', server.url])
  const versions = () =>
    server.sql('select version::int, name, source from trellis.project_migrations order by version')
  const stateOfOther = async () =>
    (await server.op<{ cli_state: { migrations?: unknown } }>('get_catalog_state', {})).cli_state.migrations

  await t.test('create makes a folder, and names with spaces become one', async () => {
    assert.match(await own.done(['migrate', 'create', 'add a  thing']), /migrations\/default\/\d{13}_add_a_thing\n$/)
    const [folder] = readdirSync(join(own.directory, 'migrations/default'))
    assert.deepEqual(readdirSync(join(own.directory, 'migrations/default', folder!)), ['down.sql', 'up.sql'])
    rmSync(join(own.directory, 'migrations'), { recursive: true })
  })

  await t.test('up applies each migration with its record, and other programs see it', async () => {
    own.write({
      'migrations/default/1_author/up.sql': `create table author (id int primary key, name text default 'it''s \\ $1');`,
      'migrations/default/1_author/down.sql': 'drop table author;',
      'migrations/default/2_book/up.sql':
        'create table book (id int primary key, author_id int references author);\r\n-- the end',
      'migrations/default/2_book/down.sql': 'drop table book -- gone',
    })
    assert.deepEqual(await states(own), { 1: 'pending', 2: 'pending' })
    assert.equal(await own.done('migrate up 1'), 'applied 1 of 2 pending migrations\n')
    assert.equal((await own.run('migrate status --check')).code, 4)
    await own.done('migrate up')
    assert.equal(await own.done('migrate up'), 'nothing is pending\n')
    assert.deepEqual(await versions(), [
      { version: 1, name: 'author', source: 'default' },
      { version: 2, name: 'book', source: 'default' },
    ])
    assert.deepEqual(await stateOfOther(), { default: { 1: false, 2: false } })
    assert.equal((await own.run('migrate status --check')).code, 0)
  })

  await t.test('a migration that fails leaves nothing, and its line is named', async () => {
    own.write({ 'migrations/default/3_bad/up.sql': 'create table half ();\n\nselect oops;' })
    assert.match(
      await own.refused(1, 'migrate up'),
      /Error: 3_bad\/up\.sql line 3: column "oops" does not exist \(42703\)/,
    )
    assert.deepEqual(await server.sql(`select to_regclass('half') as half`), [{ half: null }])
    assert.deepEqual(await states(own), { 1: 'applied', 2: 'applied', 3: 'pending' })
    rmSync(join(own.directory, 'migrations/default/3_bad'), { recursive: true })
  })

  await t.test('while another run holds the lock the exit code is 6', async () => {
    own.write({ 'migrations/default/3_late/up.sql': 'create table late ();' })
    const other = await connectTo(t, server.database.url)
    await other.query(`select pg_advisory_lock(${lockKey})`)
    assert.match(await own.refused(6, 'migrate up'), /another run of migrations holds the lock/)
    await other.query(`select pg_advisory_unlock(${lockKey})`)
    await other.query(`insert into trellis.project_lock values ('default', 'somebody', now() + interval '1 hour')`)
    for (const command of ['migrate up', 'migrate down 1 --yes', 'deploy']) {
      assert.match(await own.refused(6, command), /another run changes this database: it holds the lock until \d{4}-/)
    }
    await other.query(`update trellis.project_lock set expires = now() - interval '1 second'`)
    const codes = (await Promise.all([own.run('migrate up'), own.run('migrate up')])).map(({ code }) => code)
    assert.ok(codes.includes(0) && codes.every((code) => code === 0 || code === 6), String(codes))
    assert.deepEqual((await versions()).length, 3)
    assert.deepEqual(await server.sql('select * from trellis.project_lock'), [])
  })

  await t.test('down needs consent and a way back', async () => {
    assert.match(await own.refused(1, 'migrate down 1 --yes'), /3_late: its down\.sql is empty, so nothing undoes it/)
    own.write({ 'migrations/default/3_late/down.sql': 'drop table late' })
    assert.match(await own.refused(3, 'migrate down 2'), /Undo 3_late, 2_book\? Agree with --yes/)
    await own.done('migrate down 2 --yes')
    assert.deepEqual(await states(own), { 1: 'applied', 2: 'pending', 3: 'pending' })
    assert.deepEqual(await stateOfOther(), { default: { 1: false } })
    await own.done('migrate up')
  })

  await t.test('an edited migration stops everything until it is accepted or restored', async () => {
    const file = 'migrations/default/2_book/up.sql'
    const text = own.read(file)
    own.write({ [file]: text.replaceAll('\r\n', '\n') })
    assert.equal((await own.run('migrate verify')).code, 0, 'line ends do not count')
    own.write({ [file]: `${text}\n-- later` })
    assert.match(
      await own.refused(4, 'migrate verify'),
      /2_book was edited after it ran: restore it, or accept it with trellis migrate mark 2 applied/,
    )
    for (const command of ['migrate up', 'deploy']) assert.match(await own.refused(1, command), /2_book was edited/)
    await own.done('migrate mark 2 applied')
    assert.equal((await own.run('migrate verify')).code, 0)
    await own.done('migrate mark 3 pending')
    assert.deepEqual(await states(own), { 1: 'applied', 2: 'applied', 3: 'pending' })
    await own.done('migrate mark 3 applied')
  })

  await t.test('a squashed migration counts as applied where all of it ran', async () => {
    assert.match(await own.refused(3, 'migrate squash --from 2'), /Replace 2 migrations by one/)
    const [, , last] = readdirSync(join(own.directory, 'migrations/default')).sort()
    const taken = await own.refused(2, `migrate squash --from 2 --name ${last!.slice(2)}`)
    assert.match(taken, /is the last of them: give another --name/)
    assert.equal(await own.done('migrate squash --from 2 --name rest --yes'), '3_rest\n')
    assert.deepEqual(readdirSync(join(own.directory, 'migrations/default')).sort(), ['1_author', '3_rest'])
    assert.deepEqual(await states(own), { 1: 'applied', 3: 'applied' })
    assert.equal((await own.run('migrate verify')).code, 0)
    await own.done('migrate mark 3 pending')
    assert.match(await own.refused(1, 'migrate up'), /3_rest joins migrations of which only some ran/)
    await own.done('migrate mark 2 pending')
    await own.done(['sql', '-e', 'drop table late; drop table book'])
    await own.done('migrate up')
    await own.done('migrate down 1 --yes')
    await own.done('migrate up')
  })

  await t.test('without a transaction statements run one by one, with the engine in the process', async () => {
    own.write({
      'migrations/default/4_index/up.sql': `-- no transaction
create index concurrently by_author on book (author_id);
do $$ begin perform 1; perform 2; end $$; -- a text; in dollars
select oops;`,
    })
    assert.match(await own.refused(1, 'migrate up'), /4_index runs without a transaction, which needs --database-url/)
    const inProcess = project(t, ['--database-url', server.database.url])
    rmSync(inProcess.directory, { recursive: true })
    renameSync(own.directory, inProcess.directory)
    assert.match(
      await inProcess.refused(1, 'migrate up'),
      /4_index\/up\.sql line 4: column "oops" does not exist\n {2}the 2 statements before it ran and stay/,
    )
    inProcess.write({ 'migrations/default/4_index/up.sql': '-- no transaction\ndrop index concurrently by_author;' })
    await inProcess.done('migrate up')
    renameSync(inProcess.directory, own.directory)
    assert.deepEqual(await states(own), { 1: 'applied', 3: 'applied', 4: 'applied' })
  })

  await t.test('a migration of another program counts, and one that it left half done stops', async () => {
    await server.op('set_catalog_state', { type: 'cli', state: { migrations: { default: { 1: false, 7: false } } } })
    own.write({ 'migrations/default/7_theirs/up.sql': 'select oops' })
    assert.equal(await own.done('migrate up'), 'nothing is pending\n')
    await server.op('set_catalog_state', { type: 'cli', state: { migrations: { default: { 8: true } } } })
    assert.match(await own.refused(1, 'migrate up'), /migration 8 is half done by another program/)
    await server.op('set_catalog_state', { type: 'cli', state: {} })
    rmSync(join(own.directory, 'migrations/default/7_theirs'), { recursive: true })
  })

  await t.test('track and suggest serve the tables, sql and seed fill them', async () => {
    assert.equal(await own.done('track --schema public'), 'author\nbook\nlate\n')
    assert.equal(await own.done('track --all'), 'nothing is left to track\n')
    assert.match(await own.done('suggest'), /^object author: public\.book\(author_id\) -> public\.author\(id\)$/m)
    await own.done('suggest --apply')
    assert.equal(await own.done('suggest'), 'nothing to suggest\n')
    own.write({
      'seeds/default/1.sql': `insert into author values (1, 'A')`,
      'seeds/default/2 b.sql': 'insert into book values (1, 1)',
    })
    assert.equal(await own.done('seed'), 'ran 2 seeds\n')
    assert.match(await own.refused(1, ['seed', '1.sql']), /duplicate key.*\(23505\)/)
    assert.equal(await own.done(['sql', '-e', 'select id, name from author']), 'id\tname\n1\tA\n')
    assert.match(await own.refused(1, ['sql', '--read-only', '-e', 'delete from book']), /read-only transaction/)
    assert.match(await own.refused(2, 'sql'), /sql needs either a file or -e SQL/)
  })

  await t.test('run sends an operation, a file with a bulk, or GraphQL as a role', async () => {
    const permission = { columns: ['name'], filter: { id: { _eq: 'X-Service-User-Id' } } }
    const args = { table: 'author', role: 'guest', permission }
    own.write({
      'recording.json': JSON.stringify({ type: 'bulk', args: [{ type: 'create_select_permission', args }] }),
    })
    assert.deepEqual(JSON.parse(await own.done('run recording.json')), [{ message: 'success' }])
    const headers = JSON.stringify({ 'x-service-role': 'guest', 'x-service-user-id': '1' })
    const query = ['run', '-e', '{"query": "{ author { name } }"}', '--headers', headers]
    assert.deepEqual(JSON.parse(await own.done(query)), { data: { author: [{ name: 'A' }] } })
    const wrong = await own.run(['run', '-e', '{"query": "{ nothing }"}'])
    assert.equal(wrong.code, 1)
    assert.match(wrong.out, /not found in type/)
    assert.match(await own.refused(1, 'run recording.json'), /bulk: .*already .*\(already-exists\)/)
    assert.match(await own.refused(2, 'run'), /run needs either a file or -e JSON/)
    assert.match(await own.refused(2, ['run', '-e', '{']), /the request is not JSON/)
    assert.match(await own.refused(2, ['run', '-e', '{}']), /needs either "type", for an operation, or "query"/)
    assert.match(await own.refused(2, ['run', '-e', '{"query": ""}', '--headers', '[]']), /--headers is not an object/)
    await own.done([
      'run',
      '-e',
      JSON.stringify({ type: 'drop_select_permission', args: { table: 'author', role: 'guest' } }),
    ])
  })

  await t.test('types are TypeScript of the schema of a role', async () => {
    const admin = await own.done('types')
    assert.match(admin, /^export interface author_insert_input \{$/m)
    assert.match(admin, /^ {2}author\?: author_obj_rel_insert_input \| null$/m)
    await server.op('create_select_permission', {
      table: 'author',
      role: 'reader',
      permission: { columns: ['id'], filter: {} },
    })
    assert.equal(await own.done('types --role reader --out reader.ts'), 'reader.ts\n')
    const text = own.read('reader.ts')
    assert.match(text, /^\/\/ The GraphQL API of the role reader/)
    assert.doesNotMatch(text, /name: String|insert/)
    assert.match(text, /^export type author_select_column = 'id'$/m)
    assert.match(
      text,
      /^export interface query_root_author_args \{\n.*\n {2}distinct_on\?: readonly author_select_column\[\] \| null$/m,
    )
    assert.equal(await own.done('types --role reader --out reader.ts --check'), 'reader.ts is up to date\n')
    const use = `import type { Schema, author_bool_exp } from './reader.ts'
const answer: Pick<Schema['query'], 'author'> = { author: [{ id: 1 }] }
const where: author_bool_exp = { id: { _in: [answer.author[0]!.id] } }
export { answer, where }
`
    const misuse = `import type { author } from './reader.ts'
export const nameOf = (each: author) => each.name
`
    own.write({ 'admin.ts': admin, 'use.ts': use, 'misuse.ts': misuse })
    const compiler = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc')
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--allowImportingTsExtensions',
      '--types',
      '',
      '--ignoreConfig',
    ]
    const compile = (...files: readonly string[]) =>
      execFileSync(process.execPath, [compiler, ...options, ...files], { cwd: own.directory, stdio: 'pipe' })
    compile('admin.ts', 'use.ts')
    assert.throws(
      () => compile('misuse.ts'),
      ({ stdout }: { stdout: Buffer }) => /Property 'name' does not exist on type 'author'/.test(String(stdout)),
    )
    own.write({ 'reader.ts': '' })
    assert.match(await own.refused(4, 'types --role reader --out reader.ts --check'), /is not the schema of reader/)
    assert.match(await own.refused(2, 'types --scalars jsonb'), /"jsonb" is not NAME=TYPE/)
    await server.op('drop_select_permission', { table: 'author', role: 'reader' })
  })

  await t.test('deploy stops before the first migration when the metadata cannot be read', async () => {
    await own.done('metadata export')
    const tables = 'metadata/databases/default/tables/public_author.yaml'
    const text = own.read(tables)
    own.write({
      'migrations/default/9_shop/up.sql': 'create table shop (id int primary key)',
      [tables]: `${text}nonsense: 1\n`,
    })
    assert.match(await own.refused(1, 'deploy'), /nonsense/)
    assert.deepEqual((await states(own))['9'], 'pending')
    own.write({
      [tables]: text,
      'metadata/databases/default/tables/tables.yaml': `${own.read('metadata/databases/default/tables/tables.yaml')}- table: {name: shop, schema: public}\n`,
    })
    const { code, out } = await own.run('deploy --json')
    assert.equal(code, 0, out)
    assert.deepEqual(JSON.parse(out).changes, ['applied 9_shop', 'metadata'])
    assert.deepEqual(await server.graphql('{ shop { id } }'), { data: { shop: [] } })
    assert.equal(await own.done('deploy'), 'deployed: 0 migrations\n')
  })

  await t.test('deploy names the part that is done when the metadata does not fit', async () => {
    own.write({
      'migrations/default/10_more/up.sql': 'create table more (id int primary key)',
      'metadata/databases/default/tables/tables.yaml': `${own.read('metadata/databases/default/tables/tables.yaml')}- table: {name: moer, schema: public}\n`,
    })
    const err = await own.refused(1, 'deploy')
    assert.match(err, /moer/)
    assert.match(err, /\nDone before that: applied 10_more\n$/)
  })

  await t.test('folders that are half there are refused', async () => {
    own.write({ 'migrations/default/11_half/down.sql': '' })
    assert.match(await own.refused(1, 'migrate up'), /11_half: it has no up\.sql/)
    own.write({ 'migrations/default/11_half/up.yaml': '[]' })
    assert.match(await own.refused(1, 'migrate up'), /11_half: up\.yaml cannot run/)
    rmSync(join(own.directory, 'migrations/default/11_half'), { recursive: true })
    own.write({ 'migrations/default/010_twice/up.sql': '' })
    assert.match(await own.refused(1, 'migrate up'), /another migration has version 10/)
  })

  await t.test('flags of all commands may stand before and between the words', async () => {
    const { code, out } = await own.run('--json metadata --source default problems')
    assert.deepEqual([code, JSON.parse(out).command], [0, 'metadata problems'])
    assert.equal(await own.done(['--yes', 'sql', '-e', 'select 1 as one']), 'one\n1\n')
    assert.match(await own.refused(2, '--nonsense migrate up'), /unknown command "--nonsense"/)
  })
})

test('a terminal shows what takes more than a second, until it ends', async () => {
  const shown: string[] = []
  const { promise, resolve } = Promise.withResolvers<string>()
  const picture = (text: string) => {
    shown.push(text)
    resolve('answer')
  }
  assert.equal(await watchOn({ picture })('3_late/up.sql', promise), 'answer')
  assert.match(shown[0]!, /^3_late\/up\.sql: \d+ s$/)
  assert.equal(shown.at(-1), '')
})
