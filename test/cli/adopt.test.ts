// `trellis adopt` from a folder, a document and a server.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { librarySql, startLibrary, trackLibrary } from '../support/library.ts'
import { startTrellis } from '../support/trellis.ts'
import { project } from './command-line.ts'

test('adopt', { timeout: 120_000 }, async (t) => {
  const server = await startLibrary(t)
  const own = project(t, ['--endpoint', server.url])
  await own.done(['metadata', 'export'])

  await t.test('a folder is honoured, and refused keys are listed with their place', async () => {
    const file = 'metadata/databases/default/tables/public_book.yaml'
    const text = own.read(file)
    const report = await own.done('adopt .')
    assert.match(report, /^honoured {5}sources\[\]\.tables\[\]\.object_relationships\[\]\.name \(1\)$/m)
    own.write({
      [file]: `${text}select_permissions:\n  - role: reader\n    permission:\n      columns: [id]\n      filter: {}\n      sort: 1\n`,
    })
    const { code, out, err } = await own.run('adopt . --apply')
    assert.equal(code, 4, err)
    assert.match(out, /^refused {6}databases\/default\/tables\/public_book\.yaml:\d+:\d+: .*sort/m)
    assert.match(err, /keys are refused, so nothing is applied/)
    own.write({ [file]: text })
  })

  await t.test('a document of format 2 is applied, with objects that do not fit yet', async () => {
    const document = { version: 2, tables: [{ table: 'book' }, { table: 'later' }] }
    own.write({ 'old.json': JSON.stringify(document, null, 2) })
    const text = await own.done('adopt old.json --apply --report report.txt')
    assert.equal(text, '')
    assert.match(own.read('report.txt'), /^inconsistent .*later/m)
    assert.match(await own.refused(4, 'metadata problems'), /later/)
    await own.done('metadata apply --strict')
  })

  await t.test('another server is read with a secret of its own', async () => {
    assert.match(await own.done(['adopt', server.url]), /^honoured {5}sources \(1\)$/m)
    assert.match(await own.refused(2, 'adopt nowhere'), /nowhere: there is no such folder or file/)
  })

  const lines: string[] = []
  const old = await startTrellis(t, {
    sql: librarySql,
    settings: { dialect: 'hasura', adminSecret: 'old secret', unauthorizedRole: 'visitor' },
    observe: {
      isEnabled: () => true,
      log: (entry) => void lines.push(JSON.stringify(entry)),
      flush: () => {},
    },
  })
  own.write({ 'old secret.txt': 'old secret\n' })
  const secret = { headers: { 'x-hasura-admin-secret': 'old secret' } }
  await old.op('bulk', trackLibrary, secret)
  const asReader = { headers: { ...secret.headers, 'x-hasura-role': 'reader', 'x-hasura-publisher': '1' } }
  const shadow = ['adopt', 'requests.log', '--shadow', old.url, '--from-admin-secret-file', 'old secret.txt']
  const filter = (prefix: string) => ({ publisher_id: { _eq: `X-${prefix}-Publisher` } })
  const permission = (prefix: string) => ({ columns: ['id', 'title', 'price'], filter: filter(prefix) })
  await server.op('create_select_permission', { table: 'book', role: 'reader', permission: permission('Service') })
  await old.op('create_select_permission', { table: 'book', role: 'reader', permission: permission('Hasura') }, secret)

  await t.test('requests of a log are answered by both servers as their roles', async () => {
    lines.length = 0
    const query = 'query Books { book(order_by: { id: asc }) { id title price } }'
    await old.graphql(query, {}, asReader)
    await old.graphql(query, {}, asReader)
    await old.graphql('{ publisher { name } }', {}, secret)
    await old.graphql('{ nothing }', {}, secret)
    await old.graphql('mutation { insert_publisher_one(object: { name: "Dusk" }) { name } }', {}, secret)
    await old.sql(`delete from publisher where name = 'Dusk'`)
    own.write({ 'requests.log': `starting\n${lines.map((line) => `web_1 | ${line}`).join('\n')}\n` })
    assert.equal(
      await own.done(shadow),
      'same         3, 1 of them refused\nleft out     1: they are mutations, which --with-mutations replays\n',
    )
    await server.sql(`update book set price = 13 where title = 'Dawn'`)
    const { code, out, err } = await own.run(shadow)
    assert.equal(code, 4, err)
    assert.match(
      out,
      /^differs {6}requests\.log:\d+: query Books as reader\n {13}\$\.data\.book\[0\]\.price: theirs 12\.5, ours 13\nsame {9}2, 1 of them refused\n/,
    )
    assert.match(err, /different answers: 1/)
    const { out: json } = await own.run([...shadow, '--json'])
    const { ok, differing } = JSON.parse(json)
    assert.equal(ok, false)
    assert.deepEqual(differing[0].differences, [{ path: '$.data.book[0].price', theirs: '12.5', ours: '13' }])
  })

  await t.test('mutations are rolled back on the target, and need consent', async () => {
    assert.match(
      await own.refused(3, [...shadow, '--with-mutations']),
      /the mutations of requests\.log will change rows of 127\.0\.0\.1/,
    )
    const { code, out } = await own.run([...shadow, '--with-mutations', '--yes', '--report', 'shadow.txt'])
    assert.equal(code, 4)
    assert.equal(out, '')
    assert.match(own.read('shadow.txt'), /^same {9}3, 1 of them refused\n/m)
    const named = `select count(*)::int as count from publisher where name = 'Dusk'`
    assert.deepEqual(await server.sql(named), [{ count: 0 }])
    assert.deepEqual(await old.sql(named), [{ count: 1 }])
  })

  await t.test('requests of a HAR file have the session of their headers or token', async () => {
    const entry = (headers: Readonly<Record<string, string>>, query: string) => ({
      request: {
        method: 'POST',
        url: 'https://api.example.com/v1/graphql',
        headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
        postData: { text: JSON.stringify({ query }) },
      },
    })
    const claims = { 'https://hasura.io/jwt/claims': { 'x-hasura-default-role': 'reader', 'x-hasura-publisher': '2' } }
    const token = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`
    const entries = [
      entry({ Authorization: `Bearer ${token}` }, '{ book { title } }'),
      entry({ 'X-Hasura-Admin-Secret': 'any', 'X-Hasura-Role': 'reader' }, '{ book { title } }'),
      entry({}, '{ book { title } }'),
      entry({}, 'subscription { book { title } }'),
      { request: { method: 'GET', url: 'https://api.example.com/logo.png', headers: [] } },
    ]
    own.write({ 'requests.har': JSON.stringify({ log: { entries } }) })
    const { out } = await own.run(shadow.map((word) => word.replace('.log', '.har')))
    assert.match(out, /^differs {6}requests\.har#3: query query as nobody$/m)
    assert.match(out, /^same {9}2, 1 of them refused\nleft out {5}1: they are subscriptions$/m)
  })

  await t.test('a file without requests and flags that do not fit are refused', async () => {
    own.write({ 'empty.log': 'nothing\n' })
    assert.match(await own.refused(2, ['adopt', 'empty.log', '--shadow', old.url]), /empty\.log: it has no GraphQL/)
    assert.match(await own.refused(2, [...shadow, '--apply']), /--apply and --shadow do not fit/)
    assert.match(await own.refused(2, ['adopt', '.', '--with-mutations']), /--with-mutations needs --shadow/)
    assert.match(await own.refused(2, ['adopt', 'requests.log', '--shadow', 'localhost']), /is not the URL of a server/)
  })
})
