// `trellis init` and `doctor` against a server with an admin secret.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checklist } from '../../cli/doctor/command.ts'
import { missingRights } from '../../cli/doctor/database-checks.ts'
import { missingIndexes } from '../../cli/doctor/permission-indexes.ts'
import { connectTo } from '../support/database.ts'
import { librarySql } from '../support/library.ts'
import { startTrellis } from '../support/trellis.ts'
import { project } from './command-line.ts'

test('init and doctor', { timeout: 120_000 }, async (t) => {
  const server = await startTrellis(t, { sql: librarySql, settings: { adminSecret: 'a good secret of the server' } })
  const own = project(t, [])

  await t.test('init makes a project from a server, and no half project without its secret', async () => {
    const wrong = await own.refused(1, ['init', 'shop', '--from', server.url, '--admin-secret', 'wrong'])
    assert.match(wrong, /the server refuses the admin secret/)
    assert.throws(() => own.read('shop/config.yaml'), { code: 'ENOENT' })
    own.write({ secret: 'a good secret of the server\n' })
    const secret = ['--admin-secret-file', 'secret']
    await own.done(['track', '--all', '--endpoint', server.url, ...secret])
    await own.done(['init', 'shop', '--from', server.url, ...secret])
    assert.equal(own.read('shop/config.yaml'), `version: 3\nendpoint: "${server.url}"\n`)
    assert.match(own.read('shop/metadata/databases/default/tables/tables.yaml'), /public_book\.yaml/)
    assert.match(await own.refused(1, 'init shop'), /there is a project already/)
    assert.equal(await own.done(['metadata', 'diff', '--project', 'shop', ...secret]), 'no differences\n')
  })

  /** The findings by the name of the check, without those about the PostgreSQL of the tests. */
  const findings = async (call: readonly string[]): Promise<Record<string, readonly string[]>> => {
    const { checks } = JSON.parse((await own.run([...call, '--json'])).out) as {
      checks: readonly { readonly name: string; readonly found: readonly string[] }[]
    }
    const others = checks
      .filter(({ name }) => !['settings', 'privileges', 'copies'].includes(name))
      .map(({ name, found }) => [name, found.filter((each) => !each.startsWith('PostgreSQL '))] as const)
    return Object.fromEntries(others.filter(([, found]) => found.length > 0))
  }

  await t.test('doctor names each finding with its reason and its remedy', async () => {
    const call = ['doctor', '--project', 'shop', '--admin-secret-file', 'secret']
    own.write({ 'shop/migrations/default/1_index/up.sql': 'create index on book (publisher_id)' })
    const err = await own.refused(4, call)
    const key =
      /^Problem: book has no index for its foreign key book_publisher_id_fkey \(publisher_id\): joins, deletes/m
    assert.match(err, key)
    assert.match(err, /^Problem: 1_index is pending: .*; see trellis migrate status$/m)
    await own.done(['migrate', 'up', '--project', 'shop', '--admin-secret-file', 'secret'])
    assert.deepEqual(await findings(call), {})
    const permission = { columns: ['id'], filter: {} }
    const headers = { 'x-service-admin-secret': 'a good secret of the server' }
    await server.op('create_select_permission', { table: 'book', role: 'reader', permission }, { headers })
    const trigger = { name: 'told', webhook: 'http://localhost:1', headers: [{ name: 'X-Token', value: 'abc' }] }
    await server.op('create_event_trigger', { ...trigger, table: 'book', insert: { columns: '*' } }, { headers })
    assert.deepEqual(await findings(call), {
      secrets: [
        'sources[default].tables[0].event_triggers[told].headers[X-Token] has the secret of the header X-Token as text',
      ],
      limits: ['requests of roles have no limits'],
      catalog: ['the metadata of the server differs from the project in 2 places'],
    })
    await server.op('set_api_limits', { depth_limit: { global: 5 } }, { headers })
    assert.equal((await findings(call))['limits'], undefined)
  })

  await t.test('doctor finds rights that the user of the database lacks', async () => {
    const tables = [{ table: { schema: 'public', name: 'book' }, delete_permissions: [{ role: 'clerk' }] }]
    const client = await connectTo(t, server.database.url)
    await client.query('set role pg_monitor')
    const { rows } = await client.query({ text: missingRights({ sources: [{ tables }] })!, rowMode: 'array' })
    const expected = ['delete', 'select'].map(
      (right) => `the user pg_monitor lacks the right to ${right} "public"."book"`,
    )
    assert.deepEqual(rows.flat(), expected)
  })

  await t.test('doctor finds large tables without an index for a permission', async () => {
    const client = await connectTo(t, server.database.url)
    await client.query(
      `create table visit (id int primary key, tenant text, state text);
       insert into visit select n, 'a', 'b' from generate_series(1, 10000) n; analyze visit`,
    )
    const filter = { _and: [{ tenant: { _eq: 'X-Service-Tenant' } }, { state: { _eq: 'open' } }] }
    const permission = { role: 'clerk', permission: { columns: ['id'], filter } }
    const table = { table: { schema: 'public', name: 'visit' }, select_permissions: [permission] }
    const text = missingIndexes({ sources: [{ tables: [table] }] })!
    const found = async () => (await client.query({ text, rowMode: 'array' })).rows.flat()
    const finding = 'visit has no index that begins with tenant, by which the permissions of clerk select rows'
    assert.deepEqual(await found(), [finding])
    await client.query('create index on visit (tenant, state)')
    assert.deepEqual(await found(), [])
  })

  await t.test('doctor finds a server without a secret', async () => {
    const open = await startTrellis(t, { database: server.database })
    const { err } = await own.run(['doctor', '--endpoint', open.url])
    assert.match(err, /Problem: the server has no admin secret: every caller is an administrator/)
    assert.match(err, /Problem: the project has no copy of the metadata/)
  })

  await t.test('docs/production.md has the same checklist', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/production.md'), 'utf8')
    const [, section = ''] = page.split('## Checklist\n')
    const rows = [...section.split('\n## ')[0]!.matchAll(/^\| (.+) \|$/gm)].slice(1).map(([, row]) => row)
    const cell = (text: string) => text.replaceAll('`', '')
    assert.deepEqual(
      rows.map((row) => cell(row!)),
      checklist.map(({ name, finds, why, remedy }) => `${name} | ${finds} | ${why} | ${remedy}`),
    )
  })
})
