// The servers and databases that URLs lead to.

import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { test } from 'node:test'
import { connectOnce } from '../../core/database/wire/connect.ts'
import { readConnectionUrl, spelledOut } from '../../core/database/wire/connection-url.ts'
import { needsPrimary, urlsOfHosts } from '../../core/database/wire/hosts.ts'
import { defaultSettings } from '../../core/engine/options.ts'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase } from '../support/database.ts'
import { spawnTrellis } from '../support/process.ts'

test('a host that a URL leaves out beside a user or port is a parameter, or the default', () => {
  const socket = '/cloudsql/project:region:instance'
  assert.equal(
    spelledOut(`postgres://app:p%40ss+1@/shop?host=${socket}`),
    `postgres:///shop?host=${socket}&user=app&password=p%40ss%2B1`,
  )
  assert.equal(spelledOut('postgresql://app@/shop'), 'postgresql:///shop?user=app')
  assert.equal(spelledOut('postgres://app@:5433/shop'), 'postgres:///shop?user=app&port=5433')
  assert.equal(spelledOut('postgres://app@'), 'postgres://?user=app')
  for (const url of ['postgres://app:x@db:5432/shop', 'postgres:///shop', 'postgres://', 'postgres://h/d?user=a@/b']) {
    assert.equal(spelledOut(url), url)
  }
  assert.equal(spelledOut(' postgres://db/shop\n'), 'postgres://db/shop')
  assert.equal(defaultSettings({ databaseUrl: 'postgres://app@/shop' }).databaseUrl, 'postgres:///shop?user=app')
})

test('a list of hosts becomes parameters, and each host has a URL of its own', () => {
  const url = spelledOut(
    'postgres://app:p%40ss@a.internal:5433,[::1],b/shop?sslmode=require&target_session_attrs=primary',
  )
  assert.equal(
    url,
    'postgres:///shop?sslmode=require&target_session_attrs=primary&user=app&password=p%40ss&host=a.internal,::1,b&port=5433,5432,5432',
  )
  const places = urlsOfHosts(url).map((each) => new URL(each).searchParams)
  assert.deepEqual(
    places.map((each) => [each.get('host'), each.get('port'), each.get('password')]),
    [
      ['a.internal', '5433', 'p@ss'],
      ['::1', '5432', 'p@ss'],
      ['b', '5432', 'p@ss'],
    ],
  )
  assert.deepEqual(urlsOfHosts('postgres://db/shop'), ['postgres://db/shop'])
  assert.deepEqual([needsPrimary(url), needsPrimary('postgres://db/shop')], [true, false])
})

test('the name of a database may contain characters with a meaning in URLs', async (t) => {
  const { url, sql } = await testDatabase(t)
  const own = new URL(url).pathname.slice(1)
  const name = `${own} a@b:c/d?e#f&g=h+i,j;k$l%m"ü`
  await sql(`create database "${name.replaceAll('"', '""')}"`)
  atEnd(t, () => sql(`drop database "${name.replaceAll('"', '""')}"`))
  const escaped = new URL(url)
  escaped.pathname = `/${encodeURIComponent(name)}`
  const parameter = new URL(url)
  parameter.searchParams.set('dbname', name)
  const plain = new URL(escaped)
  plain.searchParams.set('sslmode', 'disable')
  for (const each of [escaped, parameter, plain]) {
    const client = await connectOnce(each.href)
    const { rows } = await client.query('select current_database() as name')
    await client.end()
    assert.deepEqual([rows, client.database], [[{ name }], name], each.search)
  }
})

test('escapes that are not UTF-8 are refused', () => {
  for (const url of ['postgres://h/%ff', 'postgres://%ff@h/d', 'postgres://u:%ff@h/d', 'postgres://%ff/d']) {
    const message = 'Database URL: its percent escapes are not UTF-8 (--database-url)'
    assert.throws(() => readConnectionUrl(url), { message })
  }
})

test("without a user in the URL and PGUSER, the system's user logs in, and not $USER", async (t) => {
  const { url } = await testDatabase(t)
  const given = new URL(url)
  given.username = ''
  const role = `not_${userInfo().username}`
  const server = spawnTrellis(t, ['--database-url', given.href, '--server-port', '0'], { USER: role })
  // PostgreSQL has no such role, unless the tests run as its own user.
  const outcome = await Promise.race([server.ended.then(({ stderr }) => stderr), server.ready().then(() => 'ready')])
  assert.match(outcome, new RegExp(`^ready$|refuses user "${userInfo().username}"`))
})
