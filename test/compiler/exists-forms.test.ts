// All SQL forms of a condition on a related row mean the same, for columns of every type.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { introspect } from '../../core/catalog/introspect.ts'
import type { CatalogTable, PgType } from '../../core/catalog/types.ts'
import { type Condition, columnPair, type Mapping } from '../../core/compiler/plan/plan.ts'
import { detached, rootedScope, rootScope, type Scope } from '../../core/compiler/plan/scope.ts'
import { conditionSql } from '../../core/compiler/print/condition-sql.ts'
import { Printer } from '../../core/compiler/printer.ts'
import { compile, id, join, literal, type Sql, sql } from '../../core/database/sql/sql.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import fc from '../support/fast-check.ts'

const setup = `
  create schema ext;
  create extension citext schema ext;
  create extension ltree schema ext;
  create extension hstore schema ext;
  create extension isn schema ext;
  create type pair as (a int, b text);
  create type folded as (a ext.citext, b pair);
  create type mood as enum ('sad', 'glad');
  create domain mood_domain as mood;
  create domain pair_domain as pair;
  create domain email as ext.citext;
  create domain address as email;
  create domain code as int[];`

/** Values of each type, as literals; each table has NULL besides. */
const values: Readonly<Record<string, readonly string[]>> = {
  int: ['1', '2'],
  bigint: ['1', '2'],
  numeric: ['1', '1.0', 'NaN'],
  'double precision': ['0', '-0', 'NaN'],
  boolean: ['true', 'false'],
  text: ['a', 'A', ''],
  'varchar(3)': ['a', 'A'],
  'char(3)': ['a', 'a  ', 'b'],
  name: ['a', 'b'],
  bytea: ['a', 'b'],
  uuid: ['00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002'],
  date: ['2020-01-01', 'infinity'],
  timestamptz: ['2020-01-01 00:00+00', '2020-01-01 01:00+01'],
  interval: ['1 day', '24 hours', '2 days'],
  timetz: ['10:00+00', '11:00+01'],
  jsonb: ['1', 'null', '{"a": 1}'],
  inet: ['10.0.0.1', '10.0.0.1/24'],
  cidr: ['10.0.0.0/8', '10.0.0.0/16'],
  macaddr: ['08:00:2b:01:02:03', '08:00:2b:01:02:04'],
  bit: ['0', '1'],
  money: ['1', '2'],
  oid: ['1', '2'],
  xid: ['1', '2'],
  tsvector: ['a b', 'b a', 'c'],
  box: ['(1,1),(0,0)', '(2,1),(1,0)', '(3,3),(0,0)'],
  int4range: ['[1,2]', '[1,3)', 'empty'],
  'int[]': ['{}', '{1,NULL}', '{NULL}'],
  'ext.citext[]': ['{a}', '{A}', '{NULL}'],
  mood: ['sad', 'glad'],
  mood_domain: ['sad', 'glad'],
  pair: ['(1,)', '(,)', '(1,a)', '(,a)'],
  pair_domain: ['(1,)', '(,)', '(1,a)'],
  'pair[]': ['{"(1,)"}', '{NULL}', '{"(,)"}'],
  folded: ['(a,)', '(A,)', '(,"(1,)")', '(,)'],
  code: ['{1}', '{}'],
  'ext.citext': ['a', 'A', 'b'],
  email: ['a', 'A'],
  address: ['a', 'A'],
  'ext.ltree': ['a.b', 'a'],
  'ext.hstore': ['a=>1', 'a=>NULL'],
  'ext.ean13': ['978-0-393-04002-9', '977-1-1436-4504-5'],
}

/** Pairs of different types that are compared with each other. */
const others: readonly (readonly [string, string])[] = [
  ['int', 'bigint'],
  ['int', 'double precision'],
  ['ext.citext', 'text'],
  ['email', 'ext.citext'],
  ['ext.citext', 'varchar(3)'],
  ['address', 'email'],
  ['mood', 'mood_domain'],
  ['pair', 'pair_domain'],
  ['text', 'name'],
]

const types = Object.keys(values)
const tableOf = (type: string): string => `t${types.indexOf(type)}`

let database: TestDatabase
let tables: ReadonlyMap<string, CatalogTable>

before(async (t) => {
  const made = types.map((type) => {
    const all = [...values[type]!.map((value) => `'${value}'`), 'null'].map((value) => `(${value}::${type})`)
    return `create table ${tableOf(type)} (id int primary key, a ${type}, b ${type});
      insert into ${tableOf(type)} select row_number() over (), x.v, y.v
        from (values ${all}) as x (v), (values ${all}) as y (v);`
  })
  database = await testDatabase(t as never, { sql: `${setup}${made.join('')}` })
  const names = types.map((type) => ({ schema: 'public', name: tableOf(type) }))
  const found = await introspect({ rows: database.sql }, names)
  tables = new Map(found.map((table) => [table.name, table]))
})

/** The places of a condition, which decide on the form of the conditions inside it. */
const places: Readonly<Record<string, () => Scope>> = {
  joined: rootScope,
  deep: () => ({ ...rootScope(), level: 8 }),
  wide: () => ({ ...rootScope(), level: 8, joins: { count: 12 } }),
  probed: () => ({ ...rootScope(), joins: { count: 12 } }),
  detached: () => detached({ ...rootScope(), level: 8 }),
  repeated: () => detached({ ...rootScope(), twice: 3 }),
  rooted: () => rootedScope({ ...rootScope(), level: 8 }),
}

/** A condition over two tables; `from` is the one that it is on. */
type Shape =
  | { readonly kind: 'related'; readonly by: readonly (readonly ['a' | 'b', 'a' | 'b'])[]; readonly where: Shape }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Shape[] }
  | { readonly kind: 'not'; readonly of: Shape }
  | { readonly kind: 'some'; readonly rest: number }

const shape: fc.Arbitrary<Shape> = fc.letrec<{ any: Shape; related: Shape }>((tie) => {
  const column = fc.constantFrom('a' as const, 'b' as const)
  const by = fc.array(fc.tuple(column, column), { minLength: 1, maxLength: 2 })
  return {
    related: fc.record({ kind: fc.constant('related' as const), by, where: tie('any') }),
    any: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.record({ kind: fc.constant('some' as const), rest: fc.nat(3) }),
      tie('related'),
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        of: fc.array(tie('any'), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant('not' as const), of: tie('any') }),
    ),
  }
}).related

type Side = readonly [here: string, there: string]

const columnType = (table: string, name: string): PgType =>
  tables.get(table)!.columns.find((column) => column.name === name)!.type

function conditionOf(given: Shape, [here, there]: Side): Condition {
  switch (given.kind) {
    case 'related': {
      const mapping: Mapping = given.by.map((pair) => {
        const found = columnPair(pair, [columnType(here, pair[0]), columnType(there, pair[1])])
        assert.ok(found, `${here}.${pair[0]} and ${there}.${pair[1]} are not compared`)
        return found
      })
      const where = conditionOf(given.where, [there, here])
      return { kind: 'related', table: { schema: 'public', name: there }, mapping, where }
    }
    case 'not':
      return { kind: 'not', of: conditionOf(given.of, [here, there]) }
    case 'some':
      return {
        kind: 'sql',
        build: (row: Sql) => sql`${row}.id % 4 <> ${id('rests', `r${given.rest}`)}`,
      }
    default:
      return { kind: given.kind, of: given.of.map((part) => conditionOf(part, [here, there])) }
  }
}

/** The rows for which a condition holds as a filter, and as a value, in each of the places. */
async function answers(condition: Condition, table: string): Promise<Readonly<Record<string, string>>> {
  const rests = sql`(values (0, 1, 2, 3)) as rests (r0, r1, r2, r3)`
  const queries = Object.entries(places).flatMap(([place, scope]) => {
    const print = (row: Sql) =>
      conditionSql(condition, row, new Printer({ stringifyNumbers: false, serverVersion: 18 }), scope())
    const row = id('row')
    const from = sql`from ${id(table)} as ${row}, ${rests}`
    return [
      sql`select ${literal(place)} as place, (select string_agg(${row}.id::text, ',' order by ${row}.id) ${from} where ${print(row)}) as ids`,
      sql`select ${literal(`${place}, value`)}, (select string_agg(${row}.id::text, ',' order by ${row}.id) filter (where ${print(row)}) ${from})`,
    ]
  })
  const rows = await database.sql<{ place: string; ids: string }>(compile(join(queries, ' union all ')).text)
  return Object.fromEntries(rows.map(({ place, ids }) => [place, ids]))
}

const runs = Number(process.env['TRELLIS_TEST_RUNS'] ?? 6)

for (const [left, right] of [...types.map((type) => [type, type] as const), ...others]) {
  test(`every form finds the same rows related by ${left} = ${right}`, async () => {
    const sides: Side[] = [
      [tableOf(left), tableOf(right)],
      [tableOf(right), tableOf(left)],
    ]
    const related: Shape = { kind: 'related', by: [['a', 'b']], where: { kind: 'some', rest: 1 } }
    const both: Shape = {
      ...related,
      by: [
        ['a', 'a'],
        ['b', 'b'],
      ],
    }
    const property = fc.asyncProperty(shape, fc.constantFrom(...sides), async (given, side) => {
      const { joined, ...rest } = await answers(conditionOf(given, side), side[0])
      for (const [place, ids] of Object.entries(rest)) assert.equal(ids, joined, place)
    })
    const examples: [Shape, Side][] = sides.flatMap((side): [Shape, Side][] => [
      [related, side],
      [both, side],
      [{ kind: 'not', of: related }, side],
    ])
    await fc.assert(property, { numRuns: runs + examples.length, examples })
  })
}
