// `trellis init` and `doctor` against a server with an admin secret.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { librarySql } from '../support/library.ts'
import { startTrellis } from '../support/trellis.ts'
import { project } from './command-line.ts'

test('init and doctor', { timeout: 120_000 }, async (t) => {
  const server = await startTrellis(t, { sql: librarySql, settings: { adminSecret: 'a good secret' } })
  const own = project(t, [])

  await t.test('init makes a project from a server, and no half project without its secret', async () => {
    const wrong = await own.refused(1, ['init', 'shop', '--from', server.url, '--admin-secret', 'wrong'])
    assert.match(wrong, /the server refuses the admin secret/)
    assert.throws(() => own.read('shop/config.yaml'), { code: 'ENOENT' })
    own.write({ secret: 'a good secret\n' })
    const secret = ['--admin-secret-file', 'secret']
    await own.done(['track', '--all', '--endpoint', server.url, ...secret])
    await own.done(['init', 'shop', '--from', server.url, ...secret])
    assert.equal(own.read('shop/config.yaml'), `version: 3\nendpoint: "${server.url}"\n`)
    assert.match(own.read('shop/metadata/databases/default/tables/tables.yaml'), /public_book\.yaml/)
    assert.match(await own.refused(1, 'init shop'), /there is a project already/)
    assert.equal(await own.done(['metadata', 'diff', '--project', 'shop', ...secret]), 'no differences\n')
  })

  await t.test('doctor finds keys without an index and pending migrations', async () => {
    const call = ['doctor', '--project', 'shop', '--admin-secret-file', 'secret']
    assert.match(
      await own.refused(4, call),
      /Problem: book has no index for its foreign key book_publisher_id_fkey \(publisher_id\)/,
    )
    own.write({ 'shop/migrations/default/1_index/up.sql': 'create index on book (publisher_id)' })
    assert.match(await own.refused(4, call), /Problem: 1_index is pending/)
    await own.done(['migrate', 'up', '--project', 'shop', '--admin-secret-file', 'secret'])
    assert.match(await own.done(call), /^admin secret {2}good\nmetadata {6}good\n/)
  })

  await t.test('doctor finds a server without a secret', async () => {
    const open = await startTrellis(t, { database: server.database })
    const { err } = await own.run(['doctor', '--endpoint', open.url])
    assert.match(err, /Problem: the server has no admin secret: every caller is an administrator/)
  })
})
