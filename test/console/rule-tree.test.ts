import assert from 'node:assert/strict'
import { test } from 'node:test'
import { warningsOf } from '../../console/src/pages/data/permissions/warnings.ts'
import { type Meaning, readRule, regrouped, writeRule } from '../../console/src/pages/data/rules/rule-tree.ts'
import { typedValue, valueText } from '../../console/src/pages/data/rules/rule-values.ts'
import { brokenLines, conditionIn } from '../../console/src/pages/data/rules/sql-text.ts'
import fc from '../support/fast-check.ts'
import { rebuilt } from './rebuilt-rule.ts'

const meaning: Meaning = (name) =>
  ['id', 'open', 'name'].includes(name) ? 'column' : ['customer', 'lines'].includes(name) ? 'related' : undefined

const asJson = (value: unknown): string => JSON.stringify(value)

test('any JSON goes through the builder unchanged, whether or not it is a rule', () => {
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant('X-Service-User-Id'), fc.constant(null))
  const word = fc.constantFrom('_and', '_or', '_not', '$and', '$or', '_exists', '_eq', 'id', 'customer', '__proto__')
  const { rule } = fc.letrec((tie) => ({
    rule: fc.oneof(
      { maxDepth: 5 },
      value,
      fc.array(tie('rule'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(word, fc.constantFrom('open', 'name', 'lines'), fc.string()), tie('rule'), { maxKeys: 3 }),
      fc.record({ _exists: fc.record({ _table: fc.oneof(fc.string(), tie('rule')), _where: tie('rule') }) }),
    ),
  }))
  fc.assert(fc.property(rule, (each) => assert.equal(asJson(rebuilt(each, meaning)), asJson(each))))
})

test('parts of the same name hold together, and groups change their word', () => {
  const tests = (value: number) => [{ operator: '_gt', value }]
  const twice = [1, 2].map((value) => ({ kind: 'column', key: 'id', tests: tests(value) }) as const)
  assert.deepEqual(writeRule(twice), { _and: [{ id: { _gt: 1 } }, { id: { _gt: 2 } }] })
  const [any] = readRule({ _or: [{ id: 1 }, { open: true }] }, meaning)!
  assert.deepEqual(writeRule([regrouped(any!, '_not', 'album')]), { _not: { _and: [{ id: 1 }, { open: true }] } })
  assert.deepEqual(writeRule([regrouped(any!, '_and', 'album')]), { _and: [{ id: 1 }, { open: true }] })
  assert.deepEqual(writeRule([regrouped(any!, '_exists', 'album')]), { _exists: { _table: 'album', _where: {} } })
})

test('a typed value keeps its digits and its type', () => {
  const typed: readonly (readonly [text: string, type: string, operator: string, value: unknown])[] = [
    ['5', 'int4', '_eq', 5],
    ['5', 'text', '_eq', '5'],
    ['9007199254740993', 'int8', '_eq', '9007199254740993'],
    ['X-Service-User-Id', 'int4', '_eq', 'X-Service-User-Id'],
    ['true', 'bool', '_eq', true],
    ['[1, 2]', 'int4', '_in', [1, 2]],
    ['[1, ', 'int4', '_in', '[1, '],
    ['{"a": 1}', 'jsonb', '_contains', { a: 1 }],
    ['1e400', 'float8', '_eq', '1e400'],
  ]
  for (const [text, type, operator, value] of typed) {
    assert.deepEqual(typedValue(text, { type, operator, old: '' }), value, text)
  }
  assert.equal(valueText('a "b"'), 'a "b"')
  assert.equal(valueText([1, 'a']), '[1,"a"]')
})

test('the condition is found in the SQL of a query', () => {
  const sql = `select 'a where b' as j from "a where b" as "t0" where ("t0"."x" = 'and or' or exists (select 1 where true))`
  assert.equal(conditionIn(sql), `("t0"."x" = 'and or' or exists (select 1 where true))`)
  assert.equal(conditionIn('select (select 1 where true) from x'), null)
  assert.equal(brokenLines(conditionIn(sql)!), `("t0"."x" = 'and or'\n    or exists (select 1 where true))`)
})

test('permissions that are seldom meant have a warning with its remedy', () => {
  const own = { customer_id: { _eq: 'X-Service-User-Id' } }
  const select = { columns: '*', filter: { _and: [own, { total: { _gt: 1 } }] } }
  const columns = ['customer_id', 'total']
  const remedies = (verb: 'insert' | 'update' | 'select', permission: object) =>
    warningsOf({ columns, select, role: 'user', verb, permission: { ...permission } }).map(
      ({ remedy }) => remedy.changes,
    )
  assert.deepEqual(remedies('update', { columns: '*', filter: own }), [{ check: own }])
  assert.deepEqual(remedies('update', { columns: ['total'], filter: own }), [])
  assert.deepEqual(remedies('update', { columns: ['total'], filter: { customer: own } }), [
    { check: { customer: own } },
  ])
  assert.deepEqual(remedies('update', { columns: '*', filter: own, check: own }), [])
  assert.deepEqual(remedies('insert', { columns: '*', check: {} }), [{ set: { customer_id: 'X-Service-User-Id' } }])
  assert.deepEqual(remedies('insert', { columns: '*', check: own }), [])
  assert.deepEqual(remedies('insert', { columns: '*', check: {}, set: { customer_id: 'X-Service-User-Id' } }), [])
  assert.deepEqual(remedies('insert', { columns: ['total'], check: {} }), [])
  assert.deepEqual(remedies('select', { columns: '*', filter: own }), [])
})
