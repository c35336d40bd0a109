// As whom the embedded PostgreSQL serves, on a new directory and on one of a release that served as the superuser.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chownSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { silentObserver } from '../../core/log/observe.ts'
import { EmbeddedPostgres } from '../../process/embedded/embedded.ts'
import { findPrograms } from '../../process/embedded/embedded-binaries.ts'
import { readPostmaster } from '../../process/embedded/postmaster.ts'
import { clusterOptions, findRunAs, nameInside, signalAs, spawnAs } from '../../process/embedded/run-as.ts'
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

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  return port
}

/** Makes a directory as releases did that served as the superuser, and runs SQL in its databases. */
async function directoryOfBefore(
  t: TestContext,
  sql: readonly (readonly [database: string, text: string])[],
): Promise<string> {
  const directory = temporaryDirectory(t)
  const data = join(directory, 'postgres')
  const runAs = await findRunAs(data, join(await findPrograms(), 'postgres'))
  mkdirSync(data, { mode: 0o700 })
  const passwordFile = join(directory, 'password')
  writeFileSync(passwordFile, 'the password')
  if (runAs.owner) for (const path of [data, passwordFile]) chownSync(path, runAs.owner.uid, runAs.owner.gid)
  const options = [
    `--pgdata=${nameInside(runAs, data)}`,
    '--username=postgres',
    '--pwfile=../password',
    '--auth-local=trust',
  ]
  const made = spawnAs(runAs, 'initdb', [...options, '--auth-host=scram-sha-256', '--no-sync'], {
    directory: data,
    output: 'pipe',
  })
  assert.deepEqual(await once(made.on('error', assert.fail), 'close'), [0, null])
  rmSync(passwordFile)
  const url = new URL(`postgres://postgres:the%20password@127.0.0.1:${await freePort()}/postgres`)
  writeFileSync(join(directory, 'database-url'), `${url.href}\n`)
  const log = openSync(join(directory, 'postgres.log'), 'a')
  const socket = `unix_socket_directories=${nameInside(runAs, data)}`
  const arguments_ = [...clusterOptions(runAs, data), '-p', url.port, '-c', socket, '-c', 'fsync=off']
  const server = spawnAs(runAs, 'postgres', arguments_, { directory: data, output: log })
  closeSync(log)
  while (readPostmaster(data)?.status !== 'ready') await sleep(10)
  for (const [database, text] of sql) {
    const client = new pg.Client({ connectionString: new URL(`/${database}`, url).href })
    await client.connect()
    await client.query(text)
    await client.end()
  }
  signalAs(runAs.owner, server.pid!, 'SIGINT')
  await once(server, 'exit')
  return directory
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

test('a new database is served as a role that owns it and is no superuser', async (t) => {
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
})

test('nobody logs in as the superuser', async (t) => {
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

const everything = `
  create schema "My schema";
  create extension citext;
  create extension postgres_fdw;
  create table "My schema"."T" (id serial primary key, c citext, n int generated always as identity);
  create table parted (id int) partition by list (id);
  create table part partition of parted for values in (1);
  create view v as select * from parted;
  create materialized view mv as select 1 as one;
  create sequence alone;
  create type pair as (a int, b int);
  create type mood as enum ('good', 'bad');
  create type span as range (subtype = int);
  create domain positive as int check (value > 0);
  create function f(a int, "B" text default 'x') returns int language sql security definer as 'select 1';
  create procedure p() language sql as 'select 1';
  create aggregate most(int) (sfunc = int4larger, stype = int);
  create operator === (leftarg = int, rightarg = int, function = int4eq);
  create operator class back for type int using btree as operator 1 >, operator 5 <, function 1 btint4cmp(int, int);
  create collation german (locale = 'C');
  create text search dictionary words (template = simple);
  create text search configuration plain (copy = simple);
  create statistics id_and_c on id, c from "My schema"."T";
  create server there foreign data wrapper postgres_fdw options (host '127.0.0.1');
  create user mapping for postgres server there options (user 'u', password 'p');
  create foreign table far (id int) server there;
  create publication news for table parted;
  create role app;
  create role friend login password 'friend';
  create role strong; grant pg_execute_server_program to strong;
  grant postgres to friend;
  alter default privileges grant select on tables to app;
  alter role postgres set search_path = public, "My schema";
  grant select on "My schema"."T" to app;
  select lo_from_bytea(424242, 'large');
  insert into "My schema"."T" (c) values ('kept');
`

test('a directory of a release that served as the superuser is moved over at start, once', async (t) => {
  const directory = await directoryOfBefore(t, [
    ['postgres', everything],
    ['postgres', 'create database second'],
    ['second', 'create table here (id int)'],
  ])
  const client = await assertServesAsOwner(t, directory)
  const left = `
    select classid::regclass, pg_describe_object(classid, objid, 0) from (
      select 'pg_class'::regclass::oid as classid, oid as objid from pg_class where relowner = 10
      union all select 'pg_proc'::regclass, oid from pg_proc where proowner = 10
      union all select 'pg_type'::regclass, oid from pg_type where typowner = 10
      union all select 'pg_namespace'::regclass, oid from pg_namespace where nspowner = 10
      union all select 'pg_operator'::regclass, oid from pg_operator where oprowner = 10
      union all select 'pg_opclass'::regclass, oid from pg_opclass where opcowner = 10
      union all select 'pg_collation'::regclass, oid from pg_collation where collowner = 10
      union all select 'pg_ts_dict'::regclass, oid from pg_ts_dict where dictowner = 10
      union all select 'pg_ts_config'::regclass, oid from pg_ts_config where cfgowner = 10
      union all select 'pg_statistic_ext'::regclass, oid from pg_statistic_ext where stxowner = 10
      union all select 'pg_foreign_server'::regclass, oid from pg_foreign_server where srvowner = 10
      union all select 'pg_publication'::regclass, oid from pg_publication where pubowner = 10
      union all select 'pg_largeobject'::regclass, oid from pg_largeobject_metadata where lomowner = 10
    ) as o where objid >= 16384 and not exists (
      select from pg_depend d where d.classid = o.classid and d.objid = o.objid and d.deptype = 'e')`
  const ofToast = (line: string) => line.includes('pg_toast')
  assert.deepEqual(
    (await textOf(client, left)).filter((line) => !ofToast(line)),
    [],
  )
  assert.deepEqual(await textOf(client, 'select extname, extowner::regrole from pg_extension order by 1'), [
    'citext postgres',
    'pgcrypto postgres',
    'plpgsql postgres',
    'postgres_fdw trellis_superuser',
  ])
  // The search path of the role came along, and so did its rights over others.
  assert.deepEqual(await textOf(client, 'select c from "T"'), ['kept'])
  await client.query(`alter role app createdb; set role app; reset role`)
  await assert.rejects(client.query('set role strong'), { code: '42501' })
  await client.query(`create table later (id int); drop extension citext cascade; select lo_unlink(424242);
    alter server there options (add port '1'); drop user mapping for postgres server there; drop function f(int, text)`)
  assert.deepEqual(await textOf(client, `select has_table_privilege('app', 'later', 'select')`), ['true'])
  const friend = new URL(urlOf(directory))
  friend.username = friend.password = 'friend'
  await assert.rejects((await connect(t, friend)).query('set role trellis_superuser'), { code: '42501' })
  assert.deepEqual(
    await textOf(
      await connect(t, urlOf(directory), 'second'),
      `select relowner::regrole from pg_class where relname = 'here'`,
    ),
    ['postgres'],
  )
})

test('a move that was interrupted is made up for', async (t) => {
  const directory = await directoryOfBefore(t, [
    ['postgres', Array.from({ length: 800 }, (_, i) => `create table t${i} (id int primary key)`).join(';')],
  ])
  const mark = join(directory, 'postgres', 'trellis_owner')
  for (const millis of [0, 20, 60]) {
    const server = spawnTrellis(t, serving(directory))
    // A fast machine is done with the move before it is interrupted.
    const begun = await server.output(/making an ordinary role|starting API server/)
    await sleep(millis)
    server.kill('SIGKILL')
    await server.ended
    if (begun[0] === 'starting API server') break
  }
  const client = await assertServesAsOwner(t, directory)
  assert.ok(existsSync(mark))
  assert.deepEqual(await textOf(client, `select count(*) from pg_class where relowner = 10 and relname ~ '^t\\d'`), [
    '0',
  ])
})
