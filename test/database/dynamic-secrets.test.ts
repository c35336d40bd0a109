// `{"dynamic_from_file": "/path"}`: the address of the database in a file, against a PostgreSQL that asks for passwords.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { dynamicFileRefusal } from '../../core/database/options.ts'
import { currentUrl } from '../../core/database/wire/current-url.ts'
import { readCommandLine } from '../../process/settings.ts'
import { builtInOptions, parseSettings } from '../support/built-in-options.ts'
import { embeddedPrograms, makePostgres } from '../support/own-postgres.ts'
import { makeTemporaryDirectory } from '../support/postgres.ts'
import { spawnTrellis, temporaryDirectory } from '../support/process.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const directory = makeTemporaryDirectory()
const fileOf = (name: string) => join(directory, name)
const given = (file: string) => JSON.stringify({ dynamic_from_file: file })

/** A PostgreSQL whose role `app` needs its password, and a file with its URL. */
async function rotating(t: TestContext) {
  const postgres = await makePostgres({ programs: await embeddedPrograms() })
  t.after(() => postgres.remove())
  writeFileSync(join(postgres.cluster, 'pg_hba.conf'), 'local all postgres trust\nlocal all all scram-sha-256\n')
  await postgres.start()
  const admin = async (text: string) => {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }
  await admin("create role app login password 'first secret'")
  await admin('create database shop owner app')
  const file = fileOf('url')
  const write = (password: string) => {
    const place = `shop?host=${encodeURIComponent(postgres.cluster)}&port=5432`
    writeFileSync(file, `postgres://app:${encodeURIComponent(password)}@localhost/${place}\n`)
  }
  write('first secret')
  const endConnections = () => admin("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'")
  return { admin, file, write, endConnections }
}

const query = '{ book { title } }'
const titles = { data: { book: [{ title: 'Dawn' }] } }

test('a password that changes while the server runs counts for new connections', async (t) => {
  const { admin, file, write, endConnections } = await rotating(t)
  const database = { url: given(file), sql: async () => [] }
  const { op, graphql } = await startTrellis(t, { database })
  await op('run_sql', {
    sql: "create table book (id int primary key, title text); insert into book values (1, 'Dawn')",
  })
  await op('track_table', 'book')
  assert.deepEqual(await graphql(query), titles)

  await admin("alter role app password 'second secret'")
  // Connections that are open stay, and new ones have the former password.
  assert.deepEqual(await graphql(query), titles)
  const refused = await eventually(async () => {
    // One that was being opened until now has still used the first password.
    await endConnections()
    const answer = await graphql<{ errors?: object[] }>(query)
    return answer.errors && answer
  })
  assert.doesNotMatch(JSON.stringify(refused), /secret/)

  write('second secret')
  await eventually(async () => JSON.stringify(await graphql(query)) === JSON.stringify(titles))

  // While the file is being replaced, its last URL counts.
  rmSync(file)
  await endConnections()
  await eventually(async () => JSON.stringify(await graphql(query)) === JSON.stringify(titles))
  writeFileSync(file, 'no URL: secret')
  await endConnections()
  await eventually(async () => JSON.stringify(await graphql(query)) === JSON.stringify(titles))
})

test('a file that cannot be used ends the start, and its text is not shown', async (t) => {
  const cases: readonly (readonly [name: string, text: string | null, reason: RegExp])[] = [
    ['missing', null, /the file ".*missing" cannot be read: ENOENT/],
    ['empty', '', /the file ".*empty": Only expecting a URL such as/],
    ['mysql', 'mysql://app:hidden@localhost/shop', /the file ".*mysql": Only expecting a URL such as/],
    ['nested', given(fileOf('empty')), /the file ".*nested": Only expecting a URL/],
  ]
  for (const [name, text, reason] of cases) {
    if (text !== null) writeFileSync(fileOf(name), text)
    const args = ['--database-url', given(fileOf(name)), '--retries', '0', '--server-port', '0']
    const { code, stdout, stderr } = await spawnTrellis(t, args, {}, { cwd: temporaryDirectory(t) }).ended
    assert.equal(code, 1, name)
    assert.match(stderr, reason)
    assert.doesNotMatch(stdout + stderr, /hidden/)
  }
})

test('only a short regular file is read: a pipe, a device and a directory do not stop the server', () => {
  const [pipe, long, link] = [fileOf('pipe'), fileOf('long'), fileOf('link')] as const
  execFileSync('mkfifo', [pipe])
  writeFileSync(long, `postgres://app:hidden@localhost/${'x'.repeat(70_000)}`)
  for (const file of [pipe, long, '/dev/zero', directory]) {
    const message = `Database URL: the file "${file}" is not a regular file of at most 65536 bytes (--database-url)`
    assert.throws(() => currentUrl(given(file)), { message })
  }
  writeFileSync(fileOf('url'), '  postgres://app@localhost/shop\n')
  symlinkSync(fileOf('url'), link)
  assert.equal(currentUrl(given(link)), 'postgres://app@localhost/shop')
  // A file that was replaced by a pipe has its last URL.
  rmSync(link)
  execFileSync('mkfifo', [link])
  assert.equal(currentUrl(given(link)), 'postgres://app@localhost/shop')
})

test('a link out of the allowed directory is refused, and one within it is not', () => {
  const [allowed, other] = [fileOf('allowed'), fileOf('outside')]
  mkdirSync(join(allowed, 'data'), { recursive: true })
  for (const file of [join(allowed, 'data/url'), other]) writeFileSync(file, 'postgres://app@localhost/shop')
  symlinkSync('data/url', join(allowed, 'url'))
  symlinkSync(other, join(allowed, 'out'))
  symlinkSync(allowed, fileOf('linked'))
  const refusalOf = (file: string, prefix = allowed) =>
    dynamicFileRefusal({ databaseUrl: given(file), dynamicSecretsAllowedPathPrefix: prefix }, 'SERVICE_')
  assert.equal(refusalOf(join(allowed, 'url')), null)
  assert.equal(refusalOf(join(fileOf('linked'), 'url'), fileOf('linked')), null)
  for (const file of [join(allowed, 'out'), other]) assert.match(refusalOf(file) ?? '', /is not in the directory of/)
})

const parse = (flags: readonly string[], variables: Record<string, string> = {}, file: string | null = null) =>
  parseSettings(readCommandLine(flags, builtInOptions), {
    variables,
    readFile: (path) => (path === 'trellis.config.json' ? file : null),
  }).settings

test('a file outside of the allowed directory is refused, by its path without dots', () => {
  const allowed = '/run/secrets'
  const limited = (file: string) => {
    const variables = {
      HASURA_GRAPHQL_DATABASE_URL: given(file),
      HASURA_GRAPHQL_DYNAMIC_SECRETS_ALLOWED_PATH_PREFIX: allowed,
    }
    return parse(['--dialect', 'hasura'], variables)
  }
  assert.equal(limited('/run/secrets/db/url').databaseUrl, given('/run/secrets/db/url'))
  for (const file of ['/etc/passwd', '/run/secrets-of-others/url', '/run/secrets/../other/url']) {
    assert.throws(() => limited(file), {
      message: `Fatal Error : the file "${file}" of the database URL is not in the directory of --dynamic-secrets-allowed-path-prefix (HASURA_GRAPHQL_DYNAMIC_SECRETS_ALLOWED_PATH_PREFIX)`,
    })
  }
})

test('the file is named in JSON, as a URL, or in the configuration file, by its absolute path', () => {
  const form = 'dynamic-from-file:///run/url'
  assert.equal(parse(['--database-url', form]).databaseUrl, form)
  const held = JSON.stringify({ databaseUrl: { dynamic_from_file: '/run/url' } })
  assert.equal(parse([], {}, held).databaseUrl, given('/run/url'))
  assert.throws(() => parse(['--database-url', given('url')]), /Only expecting the absolute path of a file/)
  assert.throws(() => parse(['--database-url', '{"from_file": "/run/url"}']), /Only expecting a URL such as/)
})

test('a document of a later engine keeps the file of its source, which is not read', async (t) => {
  const { request } = await startTrellis(t)
  const configuration = { connection_info: { database_url: { dynamic_from_file: '/etc/shadow' } } }
  const sources = [{ name: 'default', kind: 'postgres', tables: [], configuration }]
  const replaced = await request('/v1/metadata', {
    body: { type: 'replace_metadata', args: { version: 3, sources } },
  })
  assert.equal(replaced.status, 200)
  const { body } = await request<{ sources: object[] }>('/v1/metadata', { body: { type: 'export_metadata', args: {} } })
  assert.deepEqual(body.sources, sources)
})
