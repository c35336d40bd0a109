import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ruleOf, ruleText } from '../../console/src/pages/data/rule-text.ts'
import fc from '../support/fast-check.ts'

const types = new Map([
  ['id', 'int4'],
  ['open', 'bool'],
  ['name', 'text'],
])

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test('rules are sentences where a sentence says all of them', () => {
  const sentences: readonly (readonly [rule: unknown, text: string | null])[] = [
    [{}, ''],
    [{ id: { _eq: 'X-Service-User-Id' } }, 'id = X-Service-User-Id'],
    [{ _or: [{ open: { _eq: true } }, { name: { _in: ['a', "it's"] } }] }, "open = true or name in ('a', 'it''s')"],
    [{ _not: { customer: { country: { _is_null: true } } } }, 'not (customer.country is null)'],
    [{ id: { _ceq: ['other'] } }, null],
    [{ _exists: { _table: 'a', _where: {} } }, null],
    [{ id: { _gt: 1, _lt: 5 } }, null],
    [null, null],
  ]
  for (const [rule, text] of sentences) assert.equal(ruleText(rule, types), text)
})

test('no rule is changed by its sentence', () => {
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant('X-Service-User-Id'), fc.constant(null))
  const operator = fc.constantFrom('_eq', '_neq', '_gt', '_like', '_in', '_is_null', '_contains', '_st_within')
  const column = fc.oneof(fc.constantFrom('id', 'open', 'name', 'customer', 'and', 'is', '__proto__'), fc.string())
  const { rule } = fc.letrec((tie) => ({
    rule: fc.oneof(
      { maxDepth: 4 },
      fc.dictionary(column, fc.dictionary(operator, fc.oneof(value, fc.array(value)), { maxKeys: 2 }), { maxKeys: 2 }),
      fc.dictionary(column, tie('rule'), { maxKeys: 1 }),
      fc.dictionary(fc.constantFrom('_and', '_or'), fc.array(tie('rule'), { maxLength: 3 }), { maxKeys: 1 }),
      fc.record({ _not: tie('rule') }),
    ),
  }))
  fc.assert(
    fc.property(rule, (each) => {
      const text = ruleText(each, types)
      if (text !== null) assert.deepEqual(asJson(ruleOf(text, types)), asJson(each))
    }),
  )
})
