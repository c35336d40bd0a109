// `trellis adopt` from a folder, a document and a server.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLibrary } from '../support/library.ts'
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
})
