import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PgType } from '../../core/catalog/types.ts'
import { compare } from '../../core/compiler/print/compare.ts'
import { Printer } from '../../core/compiler/printer.ts'
import { coreOperatorSql, findOperator, operatorsFor } from '../../core/compiler/types/operators.ts'
import { Vocabulary } from '../../core/compiler/types/vocabulary.ts'
import { compile, id, sql } from '../../core/database/sql/sql.ts'

const pgType = (name: string, isArray = false): PgType => ({
  schema: 'pg_catalog',
  name,
  sql: name,
  kind: 'b',
  isArray,
})

const generic = ['_eq', '_neq', '_gt', '_lt', '_gte', '_lte', '_in', '_nin', '_is_null']
const likes = ['_like', '_nlike', '_ilike', '_nilike', '_similar', '_nsimilar']
const patterns = [...likes, '_regex', '_iregex', '_nregex', '_niregex']
const paths = ['_jsonb_path_exists', '_jsonb_path_match']
const jsonb = ['_contains', '_contained_in', '_has_key', '_has_keys_any', '_has_keys_all', ...paths]
const equality = ['_eq', '_neq', '_in', '_nin', '_is_null']

const names = (type: string, enumTable = false) => operatorsFor(pgType(type), { enumTable }).map(({ name }) => name)

test('columns have the operators of their type', () => {
  assert.deepEqual(names('int4'), generic)
  assert.deepEqual(names('text'), [...generic, ...patterns])
  assert.deepEqual(names('varchar'), [...generic, ...patterns])
  assert.deepEqual(names('bpchar'), [...generic, ...patterns])
  assert.deepEqual(names('jsonb'), [...generic, ...jsonb])
  assert.deepEqual(names('text', true), equality)
})

test('each operator prints as its SQL', () => {
  const print = (name: string) => compile(coreOperatorSql(name, id('c'), sql`v`)).text
  const printed = Object.fromEntries([...generic, ...patterns, ...jsonb].map((name) => [name, print(name)]))
  assert.deepEqual(printed, {
    _eq: '"c" = v',
    _neq: '"c" <> v',
    _gt: '"c" > v',
    _lt: '"c" < v',
    _gte: '"c" >= v',
    _lte: '"c" <= v',
    _in: '"c" = any (v)',
    _nin: '"c" <> all (v)',
    _is_null: '("c" is null) = v',
    _like: '"c" like v',
    _nlike: '"c" not like v',
    _ilike: '"c" ilike v',
    _nilike: '"c" not ilike v',
    _similar: '"c" similar to v',
    _nsimilar: '"c" not similar to v',
    _regex: '"c" ~ v',
    _iregex: '"c" ~* v',
    _nregex: '"c" !~ v',
    _niregex: '"c" !~* v',
    _contains: '"c" @> v',
    _contained_in: '"c" <@ v',
    _has_key: '"c" ? v',
    _has_keys_any: '"c" ?| v',
    _has_keys_all: '"c" ?& v',
    _jsonb_path_exists: '"c" @? v',
    _jsonb_path_match: '"c" @@ v',
  })
})

test('_in with a list of arrays compares whole arrays', () => {
  const column = { name: 'tags', type: { ...pgType('_text', true), sql: 'text[]' } }
  const source = { from: 'constant', value: '{"{a}","{b,c}"}' } as const
  const operand = { kind: 'param', source, type: 'text[]' } as const
  const condition = compare(column, findOperator('_nin', column.type)!, [operand])
  assert.equal(condition.kind, 'sql')
  const { text } = compile(
    condition.kind === 'sql'
      ? condition.build(id('t'), new Printer({ stringifyNumbers: false, serverVersion: 18 }))
      : sql``,
  )
  assert.equal(text, '"t"."tags" <> all (select member::text[] from unnest($1::text[]) as member)')
})

test('a plugin cannot add an operator under an existing name', () => {
  const operator = { ...findOperator('_eq', pgType('int4'))! }
  assert.throws(() => new Vocabulary().addOperators(operator), { message: 'the operator _eq already exists' })
})
