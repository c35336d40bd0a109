import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statements, transactionCommand } from '../../plugins/sql/statements.ts'

const openings = (text: string) => [...statements(text)].map(({ words }) => words.slice(0, 4).join(' '))

const commands = (text: string) => [...statements(text)].map(transactionCommand).filter((command) => command !== null)

test('statements are separated by semicolons outside of quotes, comments and parentheses', () => {
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

test('transaction commands are recognized, and similar text is not', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['commit', ['commits']],
    [' ; COMMIT and chain;', ['commits']],
    ['commit work and no chain', ['commits']],
    ['select 1; /* why */ end -- so', ['commits']],
    ['END TRANSACTION', ['commits']],
    ['begin; commit', ['begins', 'commits']],
    ['Begin\nWork', ['begins']],
    ['begin transaction isolation level read committed, read write, not deferrable', ['begins']],
    ['start transaction read only', ['begins']],
    ['rollback', ['ends']],
    ['rollback work', ['ends']],
    ['rollback and chain', ['ends']],
    ['abort transaction', ['ends']],
    [`prepare transaction 'x'`, ['ends']],
    ['create function f() returns int begin atomic select 1; end; commit', ['commits']],
    ['create or replace procedure p() language sql begin atomic commit; end; rollback', ['ends']],
    ['savepoint a; rollback to a; rollback to savepoint a; rollback work to a; release a', []],
    ['prepare q as select 1', []],
    [`commit prepared 'x'; rollback prepared 'x'`, []],
    [`begin 'x'; start; begin read; commit now; end 1; begin (1)`, []],
    [`select 'commit'; comment on table a is $$; commit; $$`, []],
    ['create function f() returns int begin atomic select 1; end', []],
    ['do $$ begin perform 1; rollback; end $$', []],
    ["do $body$ begin $$ commit; $$ ; end $body$; do language plpgsql E'begin rollback\\'; end'", []],
    ['select case when true then 1 end; select 1 as commit', []],
    ['alter table a rename "commit" to "end"', []],
    ['/* rollback; /* commit; */ */ -- abort;\r select 1', []],
    ['-- abort;\rrollback', ['ends']],
  ]
  for (const [text, expected] of cases) assert.deepEqual(commands(text), expected, text)
})

test('long texts are read without recursion', () => {
  const text = `insert into a values ${"('commit;', $$ end $$), ".repeat(100_000)} (1)`
  assert.deepEqual(commands(text), [])
  assert.deepEqual(commands(`select ${'('.repeat(100_000)}; commit`), [])
  assert.deepEqual(commands(`select '${"''".repeat(1_000_000)}; commit`), [])
  assert.deepEqual(commands(`${'/*'.repeat(100_000)} commit`), [])
  assert.equal(commands('begin;'.repeat(100_000)).length, 100_000)
})
