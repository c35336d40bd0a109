import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { introspectFunctions } from '../../core/catalog/functions.ts'
import type { CatalogFunction } from '../../core/catalog/types.ts'
import { nameKey } from '../../core/names/names.ts'
import { testDatabase } from '../support/database.ts'

async function introspected(t: TestContext, sql: string, ...names: readonly string[]) {
  const database = await testDatabase(t, { sql })
  const asked = names.map((name) => ({ schema: 'public', name }))
  const found = await introspectFunctions({ rows: database.sql }, asked)
  const overloads = (name: string) => found.get(nameKey({ schema: 'public', name }))
  return { found, overloads, only: (name: string): CatalogFunction => overloads(name)![0]! }
}

test('names without a function have an empty list, and nothing is found for no names', async (t) => {
  const { found, overloads } = await introspected(t, 'create table a (x int)', 'a', 'b')
  assert.deepEqual([overloads('a'), overloads('b')], [[], []])
  assert.equal(found.size, 2)
  assert.equal((await introspectFunctions({ rows: () => assert.fail('asked') }, [])).size, 0)
})

test('aggregates, window functions and procedures are not functions', async (t) => {
  const sql = `create aggregate total(int) (sfunc = int4pl, stype = int);
    create procedure run() language sql as $$ select 1 $$;
    create function row_number() returns bigint language internal window as 'window_row_number'`
  const { overloads } = await introspected(t, sql, 'total', 'run', 'row_number')
  assert.deepEqual([overloads('total'), overloads('run'), overloads('row_number')], [[], [], []])
})

test('functions with one name are distinguished, and those of other schemas are left out', async (t) => {
  const sql = `create schema other;
    create function f(int) returns int language sql as $$ select 1 $$;
    create function f(text) returns int language sql as $$ select 1 $$;
    create function other.f() returns int language sql as $$ select 1 $$`
  const { overloads } = await introspected(t, sql, 'f', 'f')
  const types = overloads('f')!.map((each) => each.arguments.map(({ type }) => type.name))
  assert.deepEqual(types, [['int4'], ['text']])
})

test('arguments come with name, type and default, and output columns are not arguments', async (t) => {
  const sql = `create domain label as varchar(5);
    create function f(a int, out b int, inout c label, int default 3, d text[] default null) language sql
      as $$ select 1, 'x'::label $$;
    create function t(a int) returns table (b int, c int) language sql as $$ select 1, 2 $$;
    create function v(variadic list int[]) returns int language sql as $$ select 1 $$;
    create function n() returns void language sql as $$ select $$`
  const { only } = await introspected(t, sql, 'f', 't', 'v', 'n')
  const told = only('f').arguments.map(({ name, type, declaredType, hasDefault }) => {
    return [name, type.sql, declaredType.name, declaredType.kind, hasDefault]
  })
  assert.deepEqual(told, [
    ['a', 'integer', 'int4', 'b', false],
    ['c', 'character varying', 'label', 'd', false],
    [null, 'integer', 'int4', 'b', true],
    ['d', 'text[]', '_text', 'b', true],
  ])
  assert.deepEqual(
    ['f', 't', 'v', 'n'].map((name) => [only(name).variadic, only(name).arguments.length]),
    [
      [false, 4],
      [false, 1],
      [true, 1],
      [false, 0],
    ],
  )
})

test('the result is a type or a set of it, and may be the row type of a table or view', async (t) => {
  const sql = `create table item (id int); create view items as select * from item;
    create materialized view stock as select * from item; create type pair as (a int, b int);
    create function a() returns text language sql as $$ select 'x'::text $$;
    create function b() returns setof item language sql as $$ select * from item $$;
    create function c() returns items language sql as $$ select * from items $$;
    create function d() returns setof stock language sql as $$ select * from stock $$;
    create function e() returns setof pair language sql as $$ select 1, 2 $$;
    create function f() returns setof record language sql as $$ select 1, 2 $$;
    create function g() returns item[] language sql as $$ select null::item[] $$`
  const { only } = await introspected(t, sql, 'a', 'b', 'c', 'd', 'e', 'f', 'g')
  const told = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => {
    const { returnsSet, returnType, declaredReturnType, returnsTable } = only(name)
    return [returnsSet, returnType.sql, declaredReturnType.kind, returnsTable?.name ?? null]
  })
  assert.deepEqual(told, [
    [false, 'text', 'b', null],
    [true, 'public.item', 'c', 'item'],
    [false, 'public.items', 'c', 'items'],
    [true, 'public.stock', 'c', 'stock'],
    [true, 'public.pair', 'c', null],
    [true, 'record', 'p', null],
    [false, 'public.item[]', 'b', null],
  ])
})

test('volatility and comment are read', async (t) => {
  const sql = `create function v() returns int language sql as $$ select 1 $$;
    create function s() returns int language sql stable as $$ select 1 $$;
    create function i() returns int language sql immutable as $$ select 1 $$;
    comment on function i() is 'Always one'`
  const { only } = await introspected(t, sql, 'v', 's', 'i')
  const told = ['v', 's', 'i'].map((name) => [only(name).volatile, only(name).comment])
  assert.deepEqual(told, [
    [true, null],
    [false, null],
    [false, 'Always one'],
  ])
})
