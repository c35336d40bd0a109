import assert from 'node:assert/strict'
import test from 'node:test'
import { type TSchema, Type } from '@sinclair/typebox'
import { TrellisError } from '../../core/errors/errors.ts'
import { pathText } from '../../core/errors/path.ts'
import { parseJson } from '../../core/json/json.ts'
import { decode } from '../../core/wire/decode.ts'
import { GraphQLName, ObjectName, TableName, VerbatimObject } from '../../core/wire/types.ts'

/** `path: message` of the refusal. */
function refusal(schema: TSchema, value: unknown): string {
  try {
    decode(schema, value)
  } catch (error) {
    assert.ok(error instanceof TrellisError)
    assert.equal(error.code, 'parse-failed')
    return `${pathText(error.path)}: ${error.message}`
  }
  return assert.fail('it was accepted')
}

const Point = Type.Object({
  x: Type.Integer(),
  y: Type.Optional(Type.Integer()),
  tags: Type.Optional(Type.Array(Type.String())),
})

test('unknown keys are dropped, and null in an optional key counts as absent', () => {
  assert.deepEqual(decode(Point, { x: 1, y: null, z: 3 }), { x: 1 })
})

test('null is kept where the schema names it', () => {
  const schema = Type.Object({ check: Type.Optional(Type.Union([Type.Null(), VerbatimObject])) })
  assert.deepEqual(decode(schema, { check: null }), { check: null })
})

test('a value of another JSON type is refused with both types, at its path', () => {
  assert.equal(refusal(Point, 'a'), '$: parsing Object failed, expected Object, but encountered String')
  assert.equal(refusal(Point, { x: 'a' }), '$.x: parsing Int failed, expected Number, but encountered String')
  assert.equal(refusal(Point, { x: true }), '$.x: parsing Int failed, expected Number, but encountered Boolean')
  assert.equal(refusal(Point, { x: 1, tags: {} }), '$.tags: parsing [] failed, expected Array, but encountered Object')
  const tags = '$.tags[1]: parsing Text failed, expected String, but encountered Null'
  assert.equal(refusal(Point, { x: 1, tags: ['a', null] }), tags)
})

test('integers are neither fractions nor wider than a double', () => {
  const problem = '$.x: parsing Int failed, value is either floating or will cause over or underflow'
  assert.equal(refusal(Point, { x: 1.5 }), `${problem} 1.5`)
  assert.equal(refusal(Point, parseJson('{"x":12345678901234567890}', 'precise')), `${problem} 12345678901234567890`)
})

test('numbers are within those of a double', () => {
  const Delay = Type.Object({ seconds: Type.Number() })
  assert.deepEqual(decode(Delay, parseJson('{"seconds":1e-400}', 'precise')), { seconds: 0 })
  for (const text of ['1e400', '-1e400']) {
    assert.equal(refusal(Delay, parseJson(`{"seconds":${text}}`, 'precise')), `$.seconds: ${text} is out of range`)
  }
})

test('a missing key is reported in the form of its object', () => {
  assert.equal(refusal(Point, {}), "$: the key 'x' was not present")
  assert.equal(refusal(Type.Object({ x: Type.Integer() }, { missingKey: 'A' }), {}), '$: key "x" not found')
  assert.equal(refusal(Type.Object({ p: Point }), { p: {} }), "$.p: the key 'x' was not present")
})

test('inherited properties are not keys', () => {
  const schema = Type.Object({ constructor: Type.Optional(Type.Unknown()), toString: Type.Unknown() })
  assert.equal(refusal(schema, {}), "$: the key 'toString' was not present")
})

test('a closed object refuses keys it does not know, at their place', () => {
  const schema = Type.Object({ a: Type.Optional(Type.Integer()) }, { additionalProperties: false })
  assert.equal(refusal(schema, { a: 1, 'odd key': 2 }), `$['odd key']: unexpected key "odd key"`)
})

test('names must not be empty', () => {
  assert.equal(refusal(Type.Object({ name: ObjectName }), { name: '' }), '$.name: empty string not allowed')
})

test('a table name is a string or an object, and decodes to the object', () => {
  assert.deepEqual(decode(TableName, 'a.b "c" 🍎'), { schema: 'public', name: 'a.b "c" 🍎' })
  assert.deepEqual(decode(TableName, { name: 'a' }), { schema: 'public', name: 'a' })
  assert.deepEqual(decode(TableName, { schema: 'crm', name: 'a', more: 1 }), { schema: 'crm', name: 'a' })
  assert.equal(refusal(TableName, 1), '$: expecting a string/object for QualifiedObject')
  assert.equal(refusal(TableName, { schema: 'a' }), '$: key "name" not found')
})

test('the error comes from the last alternative that matches in kind', () => {
  const schema = Type.Union([Type.Object({ table: TableName }), TableName])
  assert.deepEqual(decode(schema, { table: 'a' }), { table: { schema: 'public', name: 'a' } })
  assert.equal(refusal(schema, { schema: 'a' }), '$: key "name" not found')
})

test('literals list the expected values, unless they have a message of their own', () => {
  const literals = [Type.Literal('a'), Type.Literal('b')]
  assert.equal(refusal(Type.Union(literals), 'c'), "$: expected one of 'a', 'b'")
  assert.equal(refusal(Type.Union(literals, { message: 'neither' }), 'c'), '$: neither')
})

test("a custom message replaces the error of a scalar, not those of an object's members", () => {
  const schema = Type.Object({ a: Type.Integer() }, { message: 'expecting an object for it' })
  assert.equal(refusal(schema, []), '$: expecting an object for it')
  assert.equal(refusal(schema, { a: 'x' }), '$.a: parsing Int failed, expected Number, but encountered String')
  assert.equal(refusal(Type.Integer({ minimum: 1, message: 'must be positive' }), 0), '$: must be positive')
})

test('a conversion may refuse, with a path below the value', () => {
  assert.equal(refusal(Type.Array(GraphQLName), ['a', 'b-c']), '$[1]: "b-c" is not a valid GraphQL name')
})

test('every key of a record is an own property, __proto__ too', () => {
  const given = parseJson('{"__proto__":{"a":1},"constructor":2}', 'precise')
  const decoded = decode(VerbatimObject, given)
  assert.deepEqual(Object.keys(decoded), ['__proto__', 'constructor'])
  assert.equal(Object.getPrototypeOf(decoded), Object.prototype)
})

test('recursive schemas are decoded all the way down', () => {
  const Tree = Type.Recursive((This) => Type.Object({ children: Type.Array(This) }), { $id: 'Tree' })
  assert.deepEqual(decode(Tree, { children: [{ children: [], x: 1 }] }), { children: [{ children: [] }] })
  assert.equal(refusal(Tree, { children: [{}] }), "$.children[0]: the key 'children' was not present")
})

test('an error lists a literal next to the other alternatives', () => {
  const Columns = Type.Union([Type.Literal('*'), Type.Array(Type.String())])
  assert.equal(decode(Columns, '*'), '*')
  assert.deepEqual(decode(Columns, ['id']), ['id'])
  assert.equal(refusal(Columns, 'id'), '$: parsing [] failed, expected Array, but encountered String')
  assert.equal(refusal(Columns, 5), '$: parsing [] failed, expected Array, but encountered Number')
  assert.equal(refusal(Columns, [5]), '$[0]: parsing Text failed, expected String, but encountered Number')
})

test('schema kinds without their own wording are checked too', () => {
  assert.equal(decode(Type.Literal('x'), 'x'), 'x')
  assert.match(refusal(Type.Literal('x'), 'y'), /^\$: Expected 'x'/)
  assert.match(refusal(Type.String({ pattern: '^a+$' }), 'b'), /^\$: "b" is not valid here/)
  assert.equal(refusal(Type.Integer({ minimum: 0 }), -1), '$: unexpected negative value')
  assert.equal(refusal(Type.Integer({ minimum: 0, maximum: 9 }), 10), '$: 10 is out of range')
})
