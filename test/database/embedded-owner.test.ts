// The role as which the embedded PostgreSQL serves.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { silentObserver } from '../../core/log/observe.ts'
import { EmbeddedPostgres } from '../../process/embedded/embedded.ts'
import { atEnd } from '../support/cleanup.ts'
import { clientOf } from '../support/client.ts'
import { spawnTrellis, temporaryDirectory } from '../support/process.ts'

const serving = (directory: string) => ['--data-dir', directory, '--server-host', '127.0.0.1', '--server-port', '0']

const urlOf = (directory: string) => new URL(readFileSync(join(directory, 'database-url'), 'utf8').trim())

async function connect(t: TestContext, url: URL, database = 'postgres'): Promise<pg.Client> {
  const other = new URL(url)
  other.pathname = `/${database}`
  const client = new pg.Client({ connectionString: other.href })
  client.on('error', () => {})
  await client.connect()
  atEnd(t, () => client.end())
  return client
}

const textOf = async (client: pg.Client, sql: string): Promise<string[]> => {
  const { rows } = await client.query({ text: sql, rowMode: 'array' })
  return rows.map((row) => row.join(' '))
}

const refusals: readonly (readonly [sql: string, message: RegExp])[] = [
  [`copy (select 1) to program 'true'`, /^permission denied to COPY to or from an external program$/],
  [`copy (select 1) to '/tmp/anything'`, /^permission denied to COPY to a file$/],
  [`select pg_read_file('PG_VERSION')`, /^permission denied for function pg_read_file$/],
  [`select lo_import('/etc/hostname')`, /^permission denied for function lo_import$/],
  ['select * from pg_authid', /^permission denied for table pg_authid$/],
  ['create extension dblink', /^permission denied to create extension "dblink"$/],
  ['alter role trellis_superuser login', /^permission denied to alter role$/],
  ['set role trellis_superuser', /^permission denied to set role "trellis_superuser"$/],
]

async function assertServesAsOwner(t: TestContext, directory: string): Promise<pg.Client> {
  const server = spawnTrellis(t, serving(directory))
  const { opError, op } = clientOf(await server.ready())
  for (const [sql, message] of refusals) {
    const { status, body } = await opError('run_sql', { sql })
    const { error, code, path, internal } = body as Record<string, unknown>
    assert.deepEqual(
      { status, error, code, path },
      { status: 400, error: 'query execution failed', code: 'postgres-error', path: '$.args' },
    )
    const details = (internal as { error: { message: string; status_code: string } }).error
    assert.match(details.message, message, sql)
    assert.equal(details.status_code, '42501', sql)
  }
  await op('run_sql', { sql: 'create extension if not exists hstore; drop extension hstore' })
  const client = await connect(t, urlOf(directory))
  assert.deepEqual(await textOf(client, 'select rolname, rolsuper, rolcanlogin from pg_roles where oid = 10'), [
    'trellis_superuser true false',
  ])
  assert.deepEqual(
    await textOf(client, 'select current_user, datdba::regrole from pg_database where datname = current_database()'),
    ['postgres postgres'],
  )
  return client
}

test('a new database is served as its owner, who is not a superuser', async (t) => {
  const directory = temporaryDirectory(t)
  const client = await assertServesAsOwner(t, directory)
  assert.deepEqual(await textOf(client, 'select extname, extowner::regrole from pg_extension order by 1'), [
    'pgcrypto postgres',
    'plpgsql postgres',
  ])
  await client.query(`
    comment on extension plpgsql is 'as in every dump';
    create role app;
    create schema app authorization app;
    set role app; create table app.t (id int); reset role;
    alter table app.t owner to postgres;
    set session_replication_role = replica`)
  await client.query('create database another')
  const another = await connect(t, urlOf(directory), 'another')
  await another.query(`comment on extension plpgsql is 'as in every dump'; create table t (id int)`)
})

test('no one can log in as the superuser', async (t) => {
  const directory = temporaryDirectory(t)
  const embedded = new EmbeddedPostgres({ directory, connections: 5, observe: silentObserver })
  atEnd(t, () => embedded.stop('immediate'))
  await embedded.start()
  for (const text of [urlOf(directory).href, embedded.url]) {
    const url = new URL(text)
    url.username = 'trellis_superuser'
    // Over TCP it has no password, over the socket it may not log in.
    await assert.rejects(connect(t, url), { code: url.password === '' ? '28000' : '28P01' })
  }
})
