import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asCsv, asJson, asMarkdown } from '../../console/src/base/clipboard-formats.ts'
import { readCsv } from '../../console/src/base/csv.ts'
import { differencesOf } from '../../console/src/base/json-diff.ts'
import { marksBetween } from '../../console/src/base/json-marks.ts'
import { patchBetween } from '../../console/src/base/json-patch.ts'
import { documentOf, folderOf } from '../../console/src/pages/govern/folder/folder.ts'
import { packTar, readTar } from '../../console/src/pages/govern/folder/tar.ts'
import {
  destroyedBy,
  indexOfPosition,
  isExplainable,
  statementAt,
  statementsIn,
} from '../../console/src/pages/sql/statements.ts'
import { diffDocuments, withChanges } from '../../console/src/server/metadata-diff.ts'
import { partTitle } from '../../console/src/server/metadata-patch.ts'

test('statements end at semicolons outside of quotes, dollar quotes and comments', () => {
  const parts = (text: string) => statementsIn(text).map(({ from, to }) => text.slice(from, to))
  assert.deepEqual(parts(` select 'a;''b' ; select "x;y";; `), [`select 'a;''b'`, 'select "x;y"'])
  assert.deepEqual(parts(`select e'\\';' ; select '\\'; select 2`), [`select e'\\';'`, `select '\\'`, 'select 2'])
  assert.deepEqual(parts('do $a$ begin; $b$ ; end $a$; select 1'), ['do $a$ begin; $b$ ; end $a$', 'select 1'])
  assert.deepEqual(parts('select 1 /* ; /* ; */ ; */; -- ;\nselect $1; select a$b; select c$b'), [
    'select 1 /* ; /* ; */ ; */',
    '-- ;\nselect $1',
    'select a$b',
    'select c$b',
  ])
  assert.deepEqual(parts(`select 'open ; `), [`select 'open ;`])
  const text = 'select 1;\n\nselect 2;'
  const at = (cursor: number) => text.slice(statementAt(text, cursor)?.from, statementAt(text, cursor)?.to)
  assert.deepEqual([0, 9, 12, 20].map(at), ['select 1', 'select 1', 'select 2', 'select 2'])
  assert.equal(statementAt(' ;; ', 2), null)
  assert.deepEqual(
    ['-- a\n select 1', '/* b */ with a as (select 1) select', '(select 1)', 'drop table a', 'selection'].map(
      isExplainable,
    ),
    [true, true, true, false, false],
  )
  assert.equal(indexOfPosition(`'😀' oops`, 5), 5)
})

test('a text names what it destroys', () => {
  const named: Readonly<Record<string, string | null>> = {
    'select * from dropped': null,
    'update a set b = 1': null,
    'drop table if exists shop."Old Orders" cascade': 'Old Orders',
    'alter table invoice drop column total': 'total',
    'DROP MATERIALIZED VIEW sales': 'sales',
    'truncate only invoice': 'invoice',
    'with gone as (delete from only public.genre returning *) select': 'genre',
  }
  for (const [text, name] of Object.entries(named)) assert.equal(destroyedBy(text), name, text)
})

test('rows are copied for spreadsheets without formulas, and for other programs as they are', () => {
  const rows = {
    columns: ['a', 'a'],
    rows: [
      ['=1+1', null],
      ['-1.5e3', ''],
      ['x,"y"\n', '@a|b'],
    ],
  }
  assert.equal(asCsv(rows), `a,a\r\n'=1+1,\r\n-1.5e3,""\r\n"x,""y""\n",'@a|b`)
  assert.deepEqual(JSON.parse(asJson(rows))[0], { a: '=1+1', a_2: null })
  assert.equal(asMarkdown(rows).split('\n')[4], '| x,"y"<br> | @a\\|b |')
})

test('parts of the metadata are named in the singular, and settings as they are', () => {
  const table = { schema: 'public', name: 'album' }
  assert.deepEqual(
    [
      { part: 'remote_schemas', name: 'people' },
      { part: 'tables', table, member: 'select_permissions', name: 'fan' },
      { part: 'tables', table },
      { part: 'api_limits' },
    ].map(partTitle),
    ['remote schema people', 'table album select permission fan', 'table album', 'api limits'],
  )
})

test('documents differ object by object, and any choice of the differences can be taken', () => {
  const permission = (role: string, columns: string[]) => ({ role, permission: { columns, filter: {} } })
  const before = {
    version: 2,
    tables: [
      {
        table: { schema: 'public', name: 'album' },
        select_permissions: [permission('a', ['x']), permission('b', ['x'])],
      },
      { table: { schema: 'public', name: 'gone' } },
    ],
    api_limits: { depth_limit: { global: 3 } },
  }
  const after = {
    version: 2,
    tables: [
      { table: 'album', is_enum: true, select_permissions: [permission('b', ['y']), permission('c', ['x'])] },
      { table: 'new' },
    ],
    query_collections: [{ name: '__proto__', definition: { queries: [] } }],
  }
  const changes = diffDocuments(before, after)
  const titles = changes.map(({ title }) => title)
  for (const title of [
    'table album: select permission a',
    'table album: select permission b',
    'table album: select permission c',
    'table album: is enum',
    'table gone',
    'table new',
    'query collection __proto__',
    'api limits',
  ]) {
    assert.ok(titles.includes(title), `${title} in ${titles.join(', ')}`)
  }
  assert.deepEqual(diffDocuments(withChanges(before, changes), after), [])
  const chosen = changes.filter(({ title }) => title === 'table gone' || title.endsWith('permission c'))
  const taken = withChanges(before, chosen) as typeof before
  assert.deepEqual(
    taken.tables.map(({ select_permissions: list = [] }) => list.map(({ role }) => role)),
    [['a', 'b', 'c']],
  )
  assert.deepEqual(diffDocuments(before, before), [])
})

test('CSV is read with quotes, nulls, other separators, and a fault by its line', () => {
  assert.deepEqual(readCsv('a,b\r\n"x ""y"", z",\n"",1\n\n'), [
    ['a', 'b'],
    ['x "y", z', null],
    ['', '1'],
  ])
  assert.deepEqual(readCsv('a\tb\n"two\nlines"\t2'), [
    ['a', 'b'],
    ['two\nlines', '2'],
  ])
  assert.deepEqual(readCsv('a;b;c\n1,5;;'), [
    ['a', 'b', 'c'],
    ['1,5', null, null],
  ])
  assert.deepEqual(readCsv(''), [])
  assert.throws(() => readCsv('a,b\n"x'), /line 2: a quote has no end/)
  assert.throws(() => readCsv('"a"b'), /line 1/)
})

test('differences of answers name their places, up to a limit', () => {
  const before = { data: { a: [{ n: 1, o: null }], gone: true } }
  const after = { data: { a: [{ n: 2, o: null }, { n: 3 }] } }
  assert.deepEqual(differencesOf(before, after, 10), [
    { path: 'data.a[0].n', before: 1, after: 2 },
    { path: 'data.a[1]', before: undefined, after: { n: 3 } },
    { path: 'data.gone', before: true, after: undefined },
  ])
  assert.equal(differencesOf([1, 2, 3], [4, 5, 6], 2).length, 2)
})

test('a patch tests the old parts before it changes them', () => {
  const operationsOf = (before: unknown, after: unknown) =>
    patchBetween(before, after, 100)!.operations.map(({ op, path, value }) =>
      op === 'remove' ? [op, path] : [op, path, value],
    )
  assert.deepEqual(operationsOf({ a: { b: 1, c: 2 }, 'd/~': 1 }, { a: { b: 1, c: 3 } }), [
    ['test', '/a/c', 2],
    ['test', '/d~1~0', 1],
    ['replace', '/a/c', 3],
    ['remove', '/d~1~0'],
  ])
  // A member that is not there cannot be tested.
  assert.deepEqual(operationsOf({ a: { b: 1 } }, { a: { b: 2, c: 1 } }), [
    ['test', '/a', { b: 1 }],
    ['replace', '/a/b', 2],
    ['add', '/a/c', 1],
  ])
  assert.deepEqual(patchBetween({ a: 1 }, { a: 1, b: 2 }, 100), {
    operations: [{ op: 'add', path: '/b', value: 2 }],
    absent: ['b'],
  })
  // Elements could have moved: each is tested whole.
  assert.deepEqual(operationsOf([{ id: 1, on: true }, { id: 2 }], [{ id: 1, on: false }, { id: 2 }]), [
    ['test', '/0', { id: 1, on: true }],
    ['replace', '/0/on', false],
  ])
  assert.deepEqual(operationsOf([1, 2, 3, 4], [1, 4]), [
    ['test', '/2', 3],
    ['test', '/1', 2],
    ['remove', '/2'],
    ['remove', '/1'],
  ])
  assert.deepEqual(operationsOf([1, 4], [1, 2, 3, 4]), [
    ['test', '/0', 1],
    ['test', '/1', 4],
    ['add', '/1', 2],
    ['add', '/2', 3],
  ])
  assert.deepEqual(operationsOf([], [1]), [
    ['test', '', []],
    ['add', '/0', 1],
  ])
  assert.equal(patchBetween([1, 2, 3], [4, 5, 6], 5), null)
})

test('answers to two roles are compared by their rows, not by the places of these', () => {
  const row = (id: number, ...lines: readonly number[]) => ({ id, lines: lines.map((n) => ({ n })) })
  const { left, right } = marksBetween(
    { data: { a: [row(1, 1), row(2, 1, 2), row(3, 1)], b: 1 } },
    { data: { a: [row(2, 2), row(3, 1)], c: 1 } },
  )
  assert.deepEqual([...left].sort(), ['data.a[0]', 'data.a[1].lines[0]', 'data.b'])
  assert.deepEqual([...right], ['data.c'])
  assert.equal(marksBetween({ a: [1, null, '1'] }, { a: [1, null, '1'] }).left.size, 0)
})

test('a document goes through a folder of YAML and its archive unchanged', () => {
  const definition = { handler: 'http://localhost', output_type: 'String', type: 'query' }
  const rest = {
    actions: [{ name: 'a', definition }],
    query_collections: [{ name: 'no', definition: { queries: [] } }],
  }
  const plain = { table: { schema: 'public', name: 'x' } }
  const third = {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables: [plain, { table: { schema: 'a', name: 'b/c' } }, { table: { schema: 'a', name: 'b_c' } }],
      },
    ],
    ...rest,
  }
  for (const document of [third, { version: 2, tables: [plain], functions: ['f'], ...rest }]) {
    const files = new Map([...folderOf(document)].map(([name, text]) => [`metadata/${name}`, text]))
    assert.deepEqual(documentOf(readTar(packTar(files))), document)
  }
  assert.deepEqual([...folderOf(third).keys()].slice(1, 5), [
    'databases/default/tables/public_x.yaml',
    'databases/default/tables/a_b_c.yaml',
    'databases/default/tables/a_b_c_2.yaml',
    'databases/default/tables/tables.yaml',
  ])
  const long = new Map([[`${'folder/'.repeat(20)}ä.yaml`, 'ü'.repeat(600)]])
  assert.deepEqual(readTar(packTar(long)), long)
  assert.throws(() => readTar(new TextEncoder().encode('x'.repeat(600))), /not an archive/)
  assert.throws(() => documentOf(new Map([['a.txt', '']])), /no version.yaml/)
  const broken = new Map([
    ['version.yaml', 'version: 3'],
    ['databases/databases.yaml', '"!include gone.yaml"'],
  ])
  assert.throws(() => documentOf(broken), /databases.yaml: databases\/gone.yaml does not exist/)
})

const types = {
  input_objects: [{ name: 'Filter', fields: [{ name: 'from', type: 'Day', description: 'the "first" day' }] }],
  objects: [
    {
      ...{ name: 'Rating', description: 'two\nlines """', fields: [{ name: 'average', type: 'Float!' }] },
      relationships: [{ name: 'book', type: 'object', remote_table: 'book', field_mapping: { average: 'id' } }],
    },
  ],
  scalars: [{ name: 'Day' }],
  enums: [{ name: 'Mood', values: [{ value: 'GOOD', description: null, is_deprecated: true }] }],
}

test('actions and their types go through actions.graphql beside actions.yaml', () => {
  const handler = 'http://localhost/rate'
  const args = [{ name: 'filter', type: '[Filter!]', description: 'those' }]
  const actions = [
    {
      ...{ name: 'rate', comment: 'rates', permissions: [{ role: 'clerk' }] },
      definition: { kind: 'asynchronous', handler, arguments: args, output_type: 'Rating', type: 'mutation' },
    },
    { name: 'mood', definition: { handler, output_type: 'Mood!', type: 'query' } },
    // It has no SDL.
    { name: 'no name', definition: { handler, output_type: 'Mood!', type: 'query' } },
  ]
  const document = { version: 3, sources: [], actions, custom_types: types }
  const files = folderOf(document)
  assert.match(
    files.get('actions.graphql') ?? '',
    /^type Mutation \{\n {2}rate\("those" filter: \[Filter!\]\): Rating\n\}/,
  )
  assert.equal((files.get('actions.yaml') ?? '').includes('average'), true, 'the mapping')
  assert.equal((files.get('actions.yaml') ?? '').includes('Float'), false)
  assert.deepEqual(documentOf(files), document)
})

test('a folder of the command line, 2.x, has types and extended roots in actions.graphql', () => {
  const folder = (yaml: string, sdl: string) =>
    documentOf(
      new Map([
        ...[['metadata/version.yaml', 'version: 3'] as const, ['metadata/databases/databases.yaml', '[]'] as const],
        ...[['metadata/actions.yaml', yaml] as const, ['metadata/actions.graphql', sdl] as const],
      ]),
    )
  const yaml = `actions:
  - name: rate
    definition: {kind: synchronous, handler: 'http://localhost'}
custom_types:
  enums: []
  objects: [{name: Rating}]`
  const sdl = '# rates\nextend type Mutation { "stars" rate(stars: Int! = 3): Rating }\ntype Rating { average: Float! }'
  assert.deepEqual(folder(yaml, sdl), {
    ...{ version: 3, sources: [] },
    actions: [
      {
        ...{ name: 'rate', comment: 'stars' },
        definition: {
          ...{ kind: 'synchronous', handler: 'http://localhost', arguments: [{ name: 'stars', type: 'Int!' }] },
          ...{ output_type: 'Rating', type: 'mutation' },
        },
      },
    ],
    custom_types: { objects: [{ name: 'Rating', fields: [{ name: 'average', type: 'Float!' }] }] },
  })
  assert.throws(() => folder(yaml, 'type Mutation {\n  rate('), /^Error: actions\.graphql:2:8: Syntax Error/)
  assert.throws(() => folder(yaml, ''), /actions\.graphql: it has no field for the action rate/)
  assert.throws(() => folder('actions: []', sdl), /actions\.graphql: the action rate is not in actions\.yaml/)
  assert.throws(
    () => folder(yaml, `${sdl} union Any = Rating`),
    /actions\.graphql: only types, inputs, enums and scalars/,
  )
})
