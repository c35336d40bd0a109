import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asCsv, asJson, asMarkdown } from '../../console/src/base/clipboard-formats.ts'
import { indexOfPosition, isExplainable, statementAt, statementsIn } from '../../console/src/pages/sql/statements.ts'
import { diffDocuments, withChanges } from '../../console/src/server/metadata-diff.ts'

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
