// Files of a project that cannot be read, or that the server refuses: the error names the file and the line.

import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startLibrary } from '../support/library.ts'
import { project } from './command-line.ts'

const collections = 'metadata/query_collections.yaml'

const deep = '['.repeat(50_000)
/** Each anchor repeats the one before ten times. */
const repeated = ['a: &a0 [x]', ...Array.from({ length: 9 }, (_, n) => line(n + 1))].join('\n')
function line(n: number) {
  return `k${n}: &a${n} [${Array(10).fill(`*a${n - 1}`)}]`
}
const levels = 'values lie more than 200 levels deep'

const broken: readonly (readonly [reason: string, text: string, message: string])[] = [
  [
    'an alias without an anchor',
    '- name: *nothing\n',
    ':1:9: broken YAML: there is no anchor &nothing before the alias',
  ],
  ['an alias inside of its anchor', '&a\n- [*a]\n', `:2:4: broken YAML: ${levels}, or an alias inside of its anchor`],
  ['a merged alias inside of its anchor', '- &a {<<: *a}\n', `:1:11: broken YAML: ${levels}`],
  ['short aliases of many values', repeated, ':1:8: broken YAML: the aliases repeat more than 1000000 values'],
  ['values in values in values', deep, ':1:'],
  ['a number that JSON does not have', '- name: x\n  n: .nan\n', ':2:6: broken YAML: JSON has no number such as .nan'],
  ['a number without an end', '- name: 1e400\n', ':1:9: broken YAML: JSON has no number such as 1e400'],
  ['bytes', '- !!binary aGVsbG8=\n', ':1:12: broken YAML: JSON has no binary values'],
  ['a key that is a list', '- ? [a, b]\n  : c\n', ':1:5: broken YAML: a key must be a text'],
  ['a merge of a text', '- <<: text\n', ':1:3: broken YAML: << takes a mapping, or a list of mappings'],
  ['a merge of nothing', '- <<:\n', ':1:3: broken YAML: << takes a mapping, or a list of mappings'],
  ['a folder that is included', '!include databases\n', 'databases: it is not a file'],
  ['an include of nothing', '- name: "!include ."\n', ': it is not a file'],
]

test('files that cannot be read', { timeout: 120_000 }, async (t) => {
  const server = await startLibrary(t)
  const own = project(t, ['--endpoint', server.url])
  await own.done('metadata export')
  const places = (message: string) => (message.startsWith(':') ? `query_collections.yaml${message}` : message)

  for (const [reason, text, message] of broken) {
    await t.test(`${reason} is refused with its place`, async () => {
      own.write({ [collections]: text })
      const refused = await own.refused(1, 'metadata apply')
      if (message.startsWith(': it')) assert.ok(refused.includes(message), refused)
      else assert.ok(refused.startsWith(`Error: ${places(message)}`), refused)
    })
  }

  await t.test('anchors and merges that end are read', async () => {
    const text = '- &c\n  name: one\n  definition: {queries: []}\n- {<<: *c, name: two}\n- {<<: [*c], name: three}\n'
    own.write({ [collections]: text })
    await own.done('metadata apply --strict')
    const { query_collections: served } = await server.op<{ query_collections: { name: string }[] }>(
      'export_metadata',
      {},
    )
    assert.deepEqual(
      served.map(({ name }) => name),
      ['one', 'three', 'two'],
    )
  })

  await t.test('a value that the server refuses is named by its place in the files', async () => {
    const table = 'metadata/databases/default/tables/public_book.yaml'
    const text = own.read(table)
    const permission = 'select_permissions:\n  - role: reader\n    permission: {columns: [id], filter: {}, rows: 3}\n'
    own.write({ [table]: `${text}${permission}` })
    const line = text.split('\n').length + 2
    const place = `databases/default/tables/public_book.yaml:${line}:51`
    for (const command of ['metadata apply', 'metadata apply --dry-run', 'deploy']) {
      assert.match(
        await own.refused(1, command),
        new RegExp(`^Error: ${place}: unexpected key "rows" \\(`, 'm'),
        command,
      )
    }
    own.write({ [table]: text })
  })

  await t.test('an empty main file is refused, since applying it would remove all metadata', async () => {
    const main = 'metadata/databases/databases.yaml'
    const text = own.read(main)
    for (const empty of ['', '# to do\n']) {
      own.write({ [main]: empty })
      const refused = await own.refused(1, 'metadata apply')
      assert.match(refused, /^Error: databases\/databases\.yaml: it is empty; \[\] stands for an empty list/m)
    }
    own.write({ [main]: text })
  })

  await t.test('a link that leads nowhere is not taken for an absent file', async () => {
    symlinkSync('nowhere.yaml', join(own.directory, 'metadata/network.yaml'))
    for (const command of ['metadata apply', 'metadata export']) {
      assert.match(await own.refused(1, command), /^Error: network\.yaml: the link leads to no file/m)
    }
  })

  await t.test('a folder at the place of a file is named', async () => {
    mkdirSync(join(own.directory, 'metadata/api_limits.yaml'))
    assert.match(await own.refused(1, 'metadata diff'), /^Error: api_limits\.yaml: it is not a file/m)
  })

  await t.test('a text of another encoding is refused, and the mark of an encoding is left out', async () => {
    const latin1 = Buffer.from("insert into book (title) values ('Caf\xe9')", 'latin1')
    writeFileSync(join(own.directory, 'latin1.sql'), latin1)
    for (const command of ['sql latin1.sql', 'run latin1.sql', 'migrate create cafe --sql latin1.sql']) {
      assert.match(await own.refused(1, command), /latin1\.sql: it is not UTF-8 text/, command)
    }
    writeFileSync(join(own.directory, 'marked.sql'), '\uFEFFselect 1 as one')
    assert.match(await own.done('sql marked.sql'), /one/)
  })

  await t.test('a directory at the place of a file is named', async () => {
    for (const command of ['sql metadata', 'run metadata', 'adopt metadata --shadow http://127.0.0.1:9']) {
      assert.match(await own.refused(1, command), /^Error: metadata: it is a directory/m, command)
    }
  })
})
