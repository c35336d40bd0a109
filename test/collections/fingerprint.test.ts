import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseText } from '../../core/graphql/read/document.ts'
import { fingerprint } from '../../plugins/collections/fingerprint.ts'

const of = (text: string): string => fingerprint(parseText(text)!)

const same = [
  ['{ a }', 'query { a }', '{ __typename a }', '{ t: __typename @skip(if: true) a }', '{ a { __typename } }'],
  ['{ a(b: "c") }', '{ a(b: """c""") }', '{ a(\n b : "c", ), }'],
  ['{ a(b: [1, {c: $d}]) }', '{a(b:[1{c:$d}])}'],
]

const different = [
  '{ a }',
  '{ b }',
  '{ a: b }',
  '{ b: a }',
  '{ a b }',
  '{ b a }',
  '{ a { b } }',
  'query a { a }',
  'mutation { a }',
  '{ a(b: 1) }',
  '{ a(b: "1") }',
  '{ a(b: true) }',
  '{ a(b: null) }',
  '{ a(b: A) }',
  '{ a(b: [A]) }',
  '{ a(b: {A: A}) }',
  '{ a(b: $b) }',
  '{ a @b }',
  '{ ...a }',
  '{ ... { a } }',
  '{ ... on a { a } }',
  'query ($a: b) { a }',
  'query ($a: b!) { a }',
  'query ($a: [b]) { a }',
  'query ($a: b = c) { a }',
  'query ($a: b @c) { a }',
  '{ a } fragment b on c { d }',
]

test('documents are the same when their syntax trees are, without type names', () => {
  for (const texts of same) assert.equal(new Set(texts.map(of)).size, 1, texts[0])
  assert.equal(new Set(different.map(of)).size, different.length)
})

test('a document may be nested deeply', () => {
  const depth = 500
  assert.equal(of(`${'{a'.repeat(depth)}${'}'.repeat(depth)}`).length, 44)
})
