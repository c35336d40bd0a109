import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { coreMigrations } from '../../core/database/migrations/baseline.ts'
import { migrate } from '../../core/database/migrations/migrate.ts'
import { createEngine } from '../../core/engine/engine.ts'
import { defaultSettings } from '../../core/engine/options.ts'
import { type LoadedPlugin, migrationOwners } from '../../core/engine/plugins.ts'
import { StartError } from '../../core/errors/start-error.ts'
import { silentObserver } from '../../core/log/observe.ts'
import { builtInPlugins } from '../../plugins/index.ts'
import { definePlugin } from '../../sdk/index.ts'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase } from '../support/database.ts'

const run = (databaseUrl: string, plugins: readonly LoadedPlugin[] = []) =>
  migrate({ settings: { databaseUrl, retries: 0 }, observe: silentObserver, owners: migrationOwners(plugins) })

test('several servers that start at once create the schema once', async (t) => {
  const { url, sql } = await testDatabase(t, { sql: 'drop schema trellis cascade' })
  await Promise.all([run(url), run(url), run(url)])
  await run(url)
  const names = coreMigrations.map(({ name }) => ({ name }))
  assert.deepEqual(await sql(`select name from trellis.migration where name not like '%:%' order by id`), names)
  assert.deepEqual(await sql('select count(*)::int, min(resource_version) as version from trellis.metadata'), [
    { count: 1, version: '0' },
  ])
})

test('servers that start together migrate once where transactions are serializable by default', async (t) => {
  const { url } = await testDatabase(t, { sql: 'drop schema trellis cascade' })
  const strict = new URL(url)
  strict.searchParams.set('options', '-c default_transaction_isolation=serializable')
  const migrations = [{ name: '0001-mark', sql: 'create table trellis.mark ()' }]
  const plugin = definePlugin({ name: 'marks', migrations, register() {} })
  await Promise.all([1, 2, 3].map(() => run(strict.href, [{ plugin, source: null }])))
})

test('the document has one version after any write', async (t) => {
  const { sql } = await testDatabase(t)
  const insert = 'insert into trellis.metadata values ($1, gen_random_uuid(), 1)'
  await assert.rejects(sql(insert, [true]), { code: '23505' })
  await assert.rejects(sql(insert, [false]), { code: '23514' })
})

test('check_violation raises with its message', async (t) => {
  const { sql } = await testDatabase(t)
  await assert.rejects(sql('select trellis.check_violation($1)', ['no "entry"']), {
    code: '23514',
    message: 'no "entry"',
  })
})

test('a database of a newer release is refused', async (t) => {
  const { url, sql } = await testDatabase(t)
  await sql(`insert into trellis.migration (name, batch, migration_time) values ('0999-later', 9, now())`)
  await assert.rejects(run(url), (error: Error) => {
    assert.ok(error instanceof StartError)
    assert.match(error.message, /made by a newer release \(it has migration 0999-later\)/)
    return true
  })
})

test('a user who may not create the schema gets the privileges to ask for', async (t) => {
  const database = await testDatabase(t, { sql: 'drop schema trellis cascade' })
  const role = `weak_${randomBytes(6).toString('hex')}`
  await database.sql(`create role ${role} login password 'x'`)
  atEnd(t, () => database.sql(`drop role ${role}`))
  const url = new URL(database.url)
  url.username = role
  url.password = 'x'
  const name = url.pathname.slice(1)
  await assert.rejects(run(url.href), (error: Error) => {
    assert.ok(error instanceof StartError)
    assert.match(error.message, new RegExp(`run GRANT CREATE ON DATABASE "${name}" TO "${role}"`))
    return true
  })
  assert.deepEqual(await database.sql(`select to_regnamespace('trellis') as schema`), [{ schema: null }])
})

test('a user who may read the schema only, or not at all, gets the privileges to ask for', async (t) => {
  const database = await testDatabase(t)
  const role = `reader_${randomBytes(6).toString('hex')}`
  await database.sql(`create role ${role} login password 'x'`)
  atEnd(t, () => database.sql(`drop owned by ${role}; drop role ${role}`))
  const url = new URL(database.url)
  url.username = role
  url.password = 'x'
  const start = async () => {
    const settings = defaultSettings({ databaseUrl: url.href, retries: 0 })
    await (await createEngine({ settings, plugins: builtInPlugins, observe: silentObserver })).close()
  }
  const refused = (reason: string) => (error: Error) => {
    assert.ok(error instanceof StartError, error.stack)
    const grants = [
      `GRANT ALL ON SCHEMA trellis TO "${role}"`,
      `GRANT ALL ON ALL TABLES IN SCHEMA trellis TO "${role}"`,
    ]
    assert.equal(
      error.message,
      `User "${role}" may not use the schema trellis (${reason}): name its owner in --database-url, or have the owner run ${grants.join('; ')}`,
    )
    return true
  }
  await assert.rejects(start(), refused('permission denied for schema trellis'))
  await database.sql(
    `grant usage on schema trellis to ${role}; grant select on all tables in schema trellis to ${role}`,
  )
  await assert.rejects(start(), refused('permission denied for table metadata'))
  await database.sql(`grant all on schema trellis to ${role}; grant all on all tables in schema trellis to ${role}`)
  await start()
})

async function refusalOf(url: string): Promise<string> {
  const error = await run(url).then(
    () => assert.fail('it was not refused'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof StartError)
  return error.message
}

test('a database without the schema that takes no changes is refused', async (t) => {
  const { url } = await testDatabase(t, { sql: 'drop schema trellis cascade' })
  const standby = new URL(url)
  standby.searchParams.set('options', '-c default_transaction_read_only=on')
  const name = standby.pathname.slice(1)
  assert.match(
    await refusalOf(standby.href),
    new RegExp(`^The database "${name}" is read-only \\(a standby, or set so\\)`),
  )
})

test('a schema of another program with that name is left alone', async (t) => {
  for (const [table, reason] of [
    ['migration', 'column "name" does not exist'],
    ['metadata', 'relation "metadata" already exists'],
  ]) {
    const made = `drop schema trellis cascade; create schema trellis; create table trellis.${table} (theirs int)`
    const { url, sql } = await testDatabase(t, { sql: made })
    const name = new URL(url).pathname.slice(1)
    assert.equal(
      await refusalOf(url),
      `The schema trellis of the database "${name}" holds objects that Trellis did not create (${reason}): rename that schema, or use another database`,
    )
    assert.deepEqual(await sql(`select count(*)::int from pg_class where relnamespace = 'trellis'::regnamespace`), [
      { count: 1 },
    ])
  }
})

test("a schema from a dump without data is recognized as the server's own", async (t) => {
  const { url } = await testDatabase(t, {
    sql: `do $$ begin
      execute (select 'truncate ' || string_agg(format('trellis.%I', relname), ', ') from pg_class
        where relnamespace = 'trellis'::regnamespace and relkind = 'r');
    end $$`,
  })
  const name = new URL(url).pathname.slice(1)
  assert.equal(
    await refusalOf(url),
    `The schema trellis of the database "${name}" has empty tables, as after restoring a dump without data: have the owner run DROP SCHEMA trellis CASCADE, which also drops the triggers that write to it, or use another database`,
  )
})
