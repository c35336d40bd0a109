import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasTransactionEnd, statements } from '../../plugins/sql/statements.ts'

const openings = (text: string) => [...statements(text)].map((words) => words.join(' '))

test('statements are told apart by semicolons outside of quotes, comments and parentheses', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['select 1', ['select']],
    ['SELECT a; Update b set c = 1;', ['select a', 'update b set c', '']],
    [`select 'a; commit''; x', "b; ""c"; vacuum`, ['select', 'vacuum']],
    [String.raw`select e'a\'; commit;', E'\\'; x`, ['select', 'x']],
    [String.raw`select 'a\'; commit`, ['select', 'commit']],
    ['select $$ a; b $$ || $x$ $$; $y$; $x$; x', ['select', 'x']],
    ['select $1; x', ['select', 'x']],
    ['select 1e5; x', ['select', 'x']],
    ['-- a; commit\nselect 1 -- ;\n; /* a; /* b; */ commit; */ x', ['select', 'x']],
    ['create rule r as on insert to a do (select 1; select 2); x', ['create rule r as', 'x']],
    ['select é; x', ['select é', 'x']],
    [`select 'never closed; x`, ['select']],
    ['/* never closed; x', ['']],
  ]
  for (const [text, expected] of cases) assert.deepEqual(openings(text), expected, text)
})

test('the semicolons in the body of a routine end no statement', () => {
  const body = 'begin atomic select case when a then 1 else 2 end; select 2; end'
  assert.deepEqual(openings(`create function f(a bool) returns int ${body}; x`), ['create function f a', 'x'])
  assert.deepEqual(openings(`CREATE OR REPLACE PROCEDURE p() ${body.toUpperCase()}; x`), [
    'create or replace procedure',
    'x',
  ])
})

test('what ends a transaction is found, and what only looks like it is not', () => {
  const ends = [
    'commit',
    ' ; COMMIT and chain;',
    'select 1; /* why */ end',
    'rollback',
    'rollback work',
    'abort transaction',
    `prepare transaction 'x'`,
    'begin; commit',
    'create function f() returns int begin atomic select 1; end; commit',
  ]
  const goesOn = [
    'begin',
    'savepoint a; rollback to a; rollback to savepoint a; rollback work to a; release a',
    'prepare q as select 1',
    `select 'commit'; comment on table a is $$; commit; $$`,
    'create function f() returns int begin atomic select 1; end',
    'do $$ begin perform 1; end $$',
    'select case when true then 1 end; select 1 as commit',
    'alter table a rename "commit" to "end"',
  ]
  for (const text of ends) assert.equal(hasTransactionEnd(text), true, text)
  for (const text of goesOn) assert.equal(hasTransactionEnd(text), false, text)
})

test('long texts are read in one go', () => {
  const text = `insert into a values ${"('commit;', $$ end $$), ".repeat(100_000)} (1)`
  assert.equal(hasTransactionEnd(text), false)
  assert.equal(hasTransactionEnd(`select ${'('.repeat(100_000)}; commit`), false)
  assert.equal(hasTransactionEnd(`select '${"''".repeat(1_000_000)}; commit`), false)
  assert.equal(hasTransactionEnd(`${'/*'.repeat(100_000)} commit`), false)
})
