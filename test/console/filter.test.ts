import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FilterFault, filterFor, readFilter } from '../../console/src/pages/data/rows/filter.ts'
import { filterText, readFilterText } from '../../console/src/pages/data/rows/filter-text.ts'
import { readRule, writeRule } from '../../console/src/pages/data/rules/rule-tree.ts'

const types = new Map([
  ['id', 'int4'],
  ['big', 'int8'],
  ['open', 'bool'],
  ['name', 'text'],
])

test('a filter becomes a boolean expression', () => {
  const expressions: Readonly<Record<string, unknown>> = {
    '': null,
    'id > 5': { id: { _gt: 5 } },
    'big = 9007199254740993': { big: { _eq: '9007199254740993' } },
    'open = true': { open: { _eq: true } },
    'name = 5': { name: { _eq: '5' } },
    "name = 'it''s' or name is null": { _or: [{ name: { _eq: "it's" } }, { name: { _is_null: true } }] },
    'not (id = 1 or id = 2) and name is not null': {
      _and: [{ _not: { _or: [{ id: { _eq: 1 } }, { id: { _eq: 2 } }] } }, { name: { _is_null: false } }],
    },
    'customer.country = Norway': { customer: { country: { _eq: 'Norway' } } },
    'name = AC DC and id != 1': { _and: [{ name: { _eq: 'AC DC' } }, { id: { _neq: 1 } }] },
    'name = someone@example.com': { name: { _eq: 'someone@example.com' } },
    'id not in (1, 2)': { id: { _nin: [1, 2] } },
    "name not like 'a%'": { name: { _nlike: 'a%' } },
    '"odd name" ~* x': { 'odd name': { _iregex: 'x' } },
    'other.total >= 1.5': { other: { total: { _gte: 1.5 } } },
  }
  for (const [text, expected] of Object.entries(expressions)) assert.deepEqual(readFilter(text, types), expected, text)
})

test('a filter that cannot be read names the place', () => {
  const faults: Readonly<Record<string, readonly [message: string, at: number]>> = {
    'id >': ['expected a value, found the end', 4],
    '(id = 1': ['expected ")", found the end', 7],
    'id 5': ['expected a comparison such as =, found 5', 3],
    "name = 'open": ["cannot be read from here: 'open", 6],
    '= 5': ['expected a column, found =', 0],
  }
  for (const [text, [message, at]] of Object.entries(faults)) {
    assert.throws(
      () => readFilter(text, types),
      (error) => {
        assert.ok(error instanceof FilterFault)
        assert.deepEqual([error.message, error.at], [message, at])
        return true
      },
    )
  }
})

test('the filter for a value is read as that value', () => {
  for (const value of ["it's", '', 'a and b', '"x"', '5', '👍 \u202e']) {
    assert.deepEqual(readFilter(filterFor('name', value), types), { name: { _eq: value } })
  }
  assert.deepEqual(readFilter(filterFor('odd "name"', null), types), { 'odd "name"': { _is_null: true } })
})

test('numbers of JSON keep all their digits, in filters and in the builder', () => {
  for (const text of ['{"big":{"_in":[9007199254740993]}}', '{"big":9007199254740993}']) {
    const filter = readFilterText(text, types)
    assert.equal(filterText(filter!, types), text)
    const parts = readRule(filter, () => 'column')
    assert.equal(JSON.stringify(writeRule(parts!)), text)
  }
})
