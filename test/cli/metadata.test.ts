// `trellis metadata ...` over HTTP and with the engine in the process, on folders of versions 3 and 2.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startLibrary } from '../support/library.ts'
import { project, type TestProject } from './command-line.ts'

/** All files of a project with their texts. */
const snapshot = ({ directory }: TestProject) =>
  Object.fromEntries(
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'utf8')]),
  )

const rate = {
  'metadata/actions.yaml': `# our actions
actions:
  - name: rate
    definition:
      kind: synchronous
      handler: 'http://127.0.0.1:9/rate'
    permissions:
      - role: reader
custom_types:
  objects:
    - name: Rating
`,
  'metadata/actions.graphql': `type Mutation {
  # stars from 1 to 5
  rate(title: String!, stars: Int!): Rating
}

type Rating { average: Float! }
`,
}

test('the metadata commands', { timeout: 120_000 }, async (t) => {
  const server = await startLibrary(t)
  const own = project(t, ['--endpoint', server.url])

  await t.test('an export makes a folder of version 3, and a second one changes no byte', async () => {
    assert.match(await own.done('metadata export'), /databases\/default\/tables\/public_book\.yaml/)
    assert.equal(
      own.read('metadata/databases/default/tables/tables.yaml'),
      '- "!include public_book.yaml"\n- "!include public_publisher.yaml"\n',
    )
    assert.match(
      own.read('metadata/databases/default/tables/public_book.yaml'),
      /^table:\n {2}schema: public\n {2}name: book\n/,
    )
    const before = snapshot(own)
    assert.equal(await own.done('metadata export'), 'nothing has changed\n')
    assert.deepEqual(snapshot(own), before)
  })

  await t.test('comments, order and Windows line ends stay where a file changes', async () => {
    const file = 'metadata/databases/default/tables/public_book.yaml'
    const text = `# books\r\n${own.read(file).replaceAll('\n', '\r\n')}`
    own.write({ [file]: text })
    await server.op('create_select_permission', {
      table: 'book',
      role: 'reader',
      permission: { columns: ['title', 'id'], filter: {} },
    })
    assert.equal(await own.done('metadata export'), 'databases/default/tables/public_book.yaml\n')
    const changed = own.read(file)
    assert.ok(changed.startsWith(text.trimEnd()), changed)
    assert.match(changed, /select_permissions:\r\n {2}- role: reader\r\n/)
    own.write({ [file]: changed.replace('- role: reader', '- role: reader # everyone') })
    const before = snapshot(own)
    assert.match(await own.done('metadata apply --strict'), /applied/)
    await own.done('metadata export')
    assert.deepEqual(snapshot(own), before)
  })

  await t.test('the files of a new project get a line for each value', async () => {
    const fresh = project(t, ['--endpoint', server.url])
    await fresh.done('init')
    await fresh.done('metadata export')
    assert.match(fresh.read('metadata/databases/databases.yaml'), /^- name: default\n {2}kind: postgres\n {2}tables: /)
  })

  await t.test('actions take their signatures from actions.graphql', async () => {
    own.write(rate)
    const before = snapshot(own)
    await own.done('metadata apply --strict')
    const { actions } = await server.op<{ actions: { definition: unknown }[] }>('export_metadata', {})
    assert.partialDeepStrictEqual(actions[0]!.definition, {
      arguments: [
        { name: 'title', type: 'String!' },
        { name: 'stars', type: 'Int!' },
      ],
      output_type: 'Rating',
    })
    await own.done('metadata export')
    assert.deepEqual(snapshot(own), before)
  })

  await t.test('diff names the places and ends with 4', async () => {
    assert.equal(await own.done('metadata diff'), 'no differences\n')
    const file = 'metadata/databases/default/tables/public_book.yaml'
    const text = own.read(file)
    own.write({ [file]: text.replace(/ {6}- title\r?\n/, '') })
    const { code, out } = await own.run('metadata diff --json')
    assert.equal(code, 4)
    assert.deepEqual(JSON.parse(out), {
      command: 'metadata diff',
      ok: false,
      target: `${server.url} (source default)`,
      changes: [],
      problems: [],
      differences: [
        '~ sources[default].tables[public.book].select_permissions[reader].permission.columns: ["title","id"] -> ["id"]',
      ],
    })
    own.write({ [file]: text })
  })

  await t.test('a dry run changes nothing, and strict refuses what does not fit', async () => {
    const file = 'metadata/databases/default/tables/tables.yaml'
    const text = own.read(file)
    own.write({ [file]: `${text}- table: {schema: public, name: nowhere}\n` })
    const version = async () =>
      (await server.op<{ resource_version: number }>('export_metadata', {}, { version: 2 })).resource_version
    const before = await version()
    const { code, err } = await own.run('metadata apply --dry-run')
    assert.equal(code, 0)
    assert.match(err, /Problem: .*nowhere/)
    await own.refused(1, 'metadata apply --strict')
    assert.equal(await version(), before)
    await own.done('metadata apply')
    assert.match(await own.refused(4, 'metadata problems'), /nowhere/)
    assert.match(await own.refused(3, 'metadata problems --drop'), /Agree with --yes/)
    assert.equal((await own.run('metadata problems --drop', true)).code, 0)
    assert.equal(await own.done('metadata problems'), 'no problems\n')
    own.write({ [file]: text })
  })

  await t.test('broken folders are one line with the place, and change nothing', async () => {
    const file = 'metadata/databases/default/tables/public_publisher.yaml'
    const text = own.read(file)
    own.write({ [file]: 'table:\n  name: [a\n' })
    assert.match(
      await own.refused(1, 'metadata apply'),
      /^Error: databases\/default\/tables\/public_publisher\.yaml:3:1: /,
    )
    own.write({ [file]: text, 'metadata/network.yaml': '!include ../../secret.yaml\n' })
    assert.match(
      await own.refused(1, 'metadata apply'),
      /includes \.\.\/\.\.\/secret\.yaml, which is outside of the folder/,
    )
    own.write({ 'metadata/network.yaml': '!include network.yaml\n' })
    assert.match(await own.refused(1, 'metadata apply'), /includes itself/)
    own.write({ 'metadata/network.yaml': '{}\n', 'metadata/actions.graphql': 'type Mutation {\n  rate(' })
    assert.match(await own.refused(1, 'metadata apply'), /^Error: actions\.graphql:2:8: Syntax Error/)
    own.write(rate)
    const empty = project(t, ['--endpoint', server.url])
    assert.match(await empty.refused(1, 'metadata apply'), /there is no metadata; trellis metadata export writes it/)
    empty.write({ 'metadata/databases/note.txt': '' })
    assert.match(
      await empty.refused(1, 'metadata apply'),
      /databases\.yaml: it does not exist, so the folder is not complete/,
    )
  })

  await t.test('a folder of version 2 is read and written as it is', async () => {
    const old = project(t, ['--endpoint', server.url])
    old.write({ 'config.yaml': 'version: 2\n' })
    await old.done('metadata export')
    assert.match(old.read('metadata/tables.yaml'), /^- table:\n {4}schema: public\n {4}name: book\n/)
    assert.match(old.read('metadata/actions.graphql'), /rate\(title: String!, stars: Int!\): Rating/)
    const before = snapshot(old)
    await old.done('metadata apply --strict')
    await old.done('metadata export')
    assert.deepEqual(snapshot(old), before)
    assert.equal(await old.done('metadata diff'), 'no differences\n')
    assert.equal(await old.done(['metadata', 'diff', 'project', own.directory]), 'no differences\n')
  })

  await t.test('the engine runs in the process over a database', async () => {
    const direct = project(t, ['--database-url', server.database.url])
    const { code, err } = await direct.run('metadata export')
    assert.equal(code, 0, err)
    assert.match(err, /^on postgres:\/\/[^@]*\/test_\w+ \(source default\)\n$/)
    assert.deepEqual(direct.read('metadata/databases/default/tables/public_book.yaml').includes('reader'), true)
  })

  await t.test('clear asks for consent; reload answers', async () => {
    await own.done('metadata reload')
    assert.match(await own.refused(3, 'metadata clear'), /Remove all metadata\? Agree with --yes/)
    await own.done('metadata clear --yes')
    assert.match(await own.refused(4, ['metadata', 'diff']), /^on /)
    await own.done('metadata apply --strict')
  })

  await t.test('wrong usage, unreachable servers and help', async () => {
    assert.match(
      await own.refused(2, 'metadata explode'),
      /unknown command "metadata explode": there are metadata export/,
    )
    assert.match(await own.refused(2, 'metadata apply --strickt'), /Unknown option '--strickt'/)
    assert.match(await own.refused(2, 'metadata apply now'), /unexpected word "now" after metadata apply/)
    assert.match(await own.refused(2, 'metadata export --database-url x'), /keep one/)
    const away = project(t, ['--endpoint', 'http://127.0.0.1:9'])
    assert.match(
      await away.refused(5, 'metadata export'),
      /there is no answer from http:\/\/127\.0\.0\.1:9: ECONNREFUSED/,
    )
    assert.match(await own.done('metadata apply --help'), /^Usage: trellis metadata apply \[options\]\n/)
    assert.match((await own.run('metadata --help')).out, /metadata problems {3}list inconsistent objects/)
  })
})
