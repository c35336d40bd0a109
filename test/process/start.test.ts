import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { defaultSettings } from '../../core/engine/options.ts'
import { version } from '../../core/names/version.ts'
import { bannerText, isOnPath } from '../../process/banner.ts'
import { atEnd } from '../support/cleanup.ts'
import { clientOf } from '../support/client.ts'
import { testDatabase } from '../support/database.ts'
import { embeddedPid, serverCommand, spawnTrellis, temporaryDirectory } from '../support/process.ts'

const anyPort = ['--server-host', '127.0.0.1', '--server-port', '0']

async function connectEmbedded(t: test.TestContext, directory: string): Promise<pg.Client> {
  const connectionString = readFileSync(join(directory, 'database-url'), 'utf8').trim()
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  atEnd(t, () => client.end())
  return client
}

test('the first start creates a database, and the second one finds its data', async (t) => {
  const directory = temporaryDirectory(t)
  const first = spawnTrellis(t, ['--data-dir', directory, ...anyPort])
  const { op } = clientOf(await first.ready())
  const database = await connectEmbedded(t, directory)
  await database.query(`create table harbour (id int primary key, name text); insert into harbour values (1, 'Bergen')`)
  await op('track_table', { schema: 'public', name: 'harbour' })
  first.kill('SIGTERM')
  assert.equal((await first.ended).code, 0)
  assert.equal(embeddedPid(directory), null)

  const second = spawnTrellis(t, ['--data-dir', directory, ...anyPort])
  const { graphql } = clientOf(await second.ready())
  assert.deepEqual(await graphql('{ harbour { id name } }'), { data: { harbour: [{ id: 1, name: 'Bergen' }] } })
})

test('the embedded database keeps each change that it has acknowledged', async (t) => {
  const directory = temporaryDirectory(t)
  await spawnTrellis(t, ['--data-dir', directory, ...anyPort]).ready()
  const database = await connectEmbedded(t, directory)
  const names = [
    'fsync',
    'synchronous_commit',
    'full_page_writes',
    'data_checksums',
    'listen_addresses',
    'server_encoding',
  ]
  const { rows } = await database.query('select name, setting from pg_settings where name = any($1)', [names])
  assert.deepEqual(Object.fromEntries(rows.map(({ name, setting }) => [name, setting])), {
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    data_checksums: 'on',
    listen_addresses: '127.0.0.1',
    server_encoding: 'UTF8',
  })
  assert.equal(statSync(join(directory, 'database-url')).mode & 0o777, 0o600)
})

test('the embedded database asks for its password over TCP', async (t) => {
  const directory = temporaryDirectory(t)
  await spawnTrellis(t, ['--data-dir', directory, ...anyPort]).ready()
  const url = new URL(readFileSync(join(directory, 'database-url'), 'utf8').trim())
  assert.ok(url.password.length >= 20)
  url.password = 'guess'
  const client = new pg.Client({ connectionString: url.href })
  await assert.rejects(client.connect(), { code: '28P01' })
})

test('the banner names endpoints, APIs, plugins, the database connection and the access rules', async (t) => {
  const directory = temporaryDirectory(t)
  const server = spawnTrellis(t, ['--data-dir', directory, ...anyPort], { SERVICE_GRAPHQL_ADMIN_SECRT: 'x' })
  const url = await server.ready()
  await server.output(/Ignored.*\n/)
  const lines = server.stderr.split('\n').map((line) => line.trim().split(/ {2,}/))
  assert.deepEqual(lines.shift(), [`Trellis ${version}`])
  const facts = Object.fromEntries(lines)
  assert.equal(facts.GraphQL, `${url}/v1/graphql`)
  assert.equal(facts.Metadata, `${url}/v1/query`)
  assert.match(facts.APIs, /\bmetadata\b/)
  assert.equal(facts.Plugins, undefined)
  const file = `${directory}/database-url`
  const ways = [`embedded PostgreSQL, psql "$(cat '${file}')"`, `embedded PostgreSQL, its URL is in ${file}`]
  assert.ok(ways.includes(facts.Database), facts.Database)
  assert.equal(
    facts.Access,
    'OPEN: no admin secret is set, so every program of this machine is trusted (--admin-secret)',
  )
  assert.equal(facts.Ignored, 'SERVICE_GRAPHQL_ADMIN_SECRT: no such option')
})

test('the banner says how to turn the console on, and lists plugins at the level debug', async (t) => {
  const { url } = await testDatabase(t)
  const shown = async (...args: readonly string[]) => {
    const server = spawnTrellis(t, ['--database-url', url, ...anyPort, ...args])
    await server.output(/Access .*\n/)
    server.kill('SIGTERM')
    const { stderr } = await server.ended
    return [/Console +(.*)/.exec(stderr)?.[1], /Plugins +(.*)/.exec(stderr)?.[1]]
  }
  const [page, plugins] = await shown('--log-level', 'debug')
  assert.match(`${page}`, /^http:.*\/console$/)
  assert.match(`${plugins}`, /\btables\b/)
  assert.deepEqual(await shown('--admin-secret', 'x'), ['off (--enable-console turns it on)', undefined])
  assert.deepEqual(await shown('--admin-secret', 'x', '--enabled-apis', 'graphql'), [undefined, undefined])
})

test('the banner shows a psql command if psql is installed, otherwise the place of the URL', () => {
  const shown = (hasPsql: boolean) => {
    const embedded = { urlFile: "/it's/url", hasPsql }
    const facts = {
      settings: defaultSettings(),
      options: [],
      port: 1,
      plugins: [],
      apis: [],
      routes: [],
      files: [],
      unknownVariables: [],
    }
    return /Database +(.*)/.exec(bannerText({ ...facts, embedded }))?.[1]
  }
  assert.equal(shown(true), `embedded PostgreSQL, psql "$(cat '/it'\\''s/url')"`)
  assert.equal(shown(false), "embedded PostgreSQL, its URL is in /it's/url")
  assert.deepEqual([isOnPath('sh'), isOnPath('no-such-program')], [true, false])
})

test('the banner comes after the log lines of the start', async (t) => {
  const { url } = await testDatabase(t)
  const oneStream = ['sh', '-c', 'exec "$@" 2>&1', 'sh', ...serverCommand]
  for (const format of ['json', 'pretty']) {
    const args = ['--database-url', url, ...anyPort, '--log-format', format]
    const process = spawnTrellis(t, args, {}, { command: oneStream })
    await process.output(/Access .*\n/)
    const lines = process.stdout.trim().split('\n')
    const banner = lines.findIndex((line) => line.startsWith('Trellis '))
    assert.match(lines[banner - 1]!, /starting API server/)
    assert.ok(
      lines.slice(banner + 1).every((line) => line.startsWith('  ')),
      process.stdout,
    )
  }
})

test('a terminal gets pretty lines', async (t) => {
  const { url } = await testDatabase(t)
  const args = ['--database-url', url, ...anyPort, '--log-format', 'pretty']
  const running = spawnTrellis(t, args)
  const { request } = clientOf(await running.ready())
  await request('/nowhere')
  await running.output(/^\d\d:\d\d:\d\d\.\d{3} \w+ +http-log GET \/nowhere 404: resource does not exist/m)
  await request('/v1/query', { body: { type: 'run_sql', args: { sql: 'select * from nowhere' } } })
  const refusal = 'POST /v1/query 400: query execution failed: relation "nowhere" does not exist'
  await running.output(new RegExp(`http-log ${refusal}`))
  const coloured = spawnTrellis(t, args, { FORCE_COLOR: '1' })
  await coloured.output(/\[32mINFO \p{Cc}\[39m/u)
})

test('closed APIs are not in the banner', async (t) => {
  const { url } = await testDatabase(t)
  const args = ['--database-url', url, '--enabled-apis', 'graphql', '--admin-secret', 'x', ...anyPort]
  const server = spawnTrellis(t, args)
  await server.ready()
  await server.output(/Access.*\n/)
  assert.doesNotMatch(server.stderr, /Metadata/)
  assert.match(server.stderr, /APIs +graphql\n/)
  assert.match(server.stderr, /Access +guarded by the admin secret, requests without it: refused\n/)
})

test('secrets appear neither in the banner nor in the log', async (t) => {
  const { url } = await testDatabase(t)
  const withPassword = new URL(url)
  withPassword.password = 'hidden1'
  const env = { SERVICE_GRAPHQL_DATABASE_URL: withPassword.href, SERVICE_GRAPHQL_ADMIN_SECRET: 'hidden2' }
  const server = spawnTrellis(t, [...anyPort, '--log-level', 'debug'], env)
  const { request } = clientOf(await server.ready())
  await request('/v1/query', { body: { type: 'x', args: {} }, headers: { 'x-service-admin-secret': 'hidden2' } })
  server.kill('SIGTERM')
  const { stdout, stderr } = await server.ended
  assert.doesNotMatch(stdout + stderr, /hidden/)
})

test('every line of the log is an object with the same members', async (t) => {
  const { url } = await testDatabase(t)
  const server = spawnTrellis(t, ['--database-url', url, ...anyPort])
  await server.ready()
  server.kill('SIGTERM')
  const lines = (await server.ended).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  for (const line of lines) {
    assert.deepEqual(Object.keys(line).sort(), ['detail', 'level', 'msg', 'time', 'timestamp', 'type'])
    assert.match(line.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/)
  }
  const kinds = lines.filter(({ type }) => type === 'startup').map(({ detail }) => detail.kind)
  assert.deepEqual(kinds, ['server_configuration', 'postgres_connection', 'catalog_migrate', 'server'])
})

test('--help and version answer on stdout and start nothing', async (t) => {
  const cwd = temporaryDirectory(t)
  const help = await spawnTrellis(t, ['--help'], {}, { cwd }).ended
  assert.match(help.stdout, /^Usage: trellis .*--server-port/s)
  const group = await spawnTrellis(t, ['--help', 'limits'], {}, { cwd }).ended
  assert.match(group.stdout, /^Options, limits:/)
  const none = await spawnTrellis(t, ['help', 'weather'], {}, { cwd }).ended
  assert.deepEqual([none.code, none.stdout], [1, ''])
  assert.match(none.stderr, /^Fatal Error:- There is no help about "weather": /)
  assert.deepEqual({ code: help.code, stderr: help.stderr }, { code: 0, stderr: '' })
  const printed = await spawnTrellis(t, ['version'], {}, { cwd }).ended
  assert.deepEqual(printed, { code: 0, signal: null, stdout: `${version}\n`, stderr: '' })
})
