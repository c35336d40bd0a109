import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PgType } from '../../core/catalog/types.ts'
import { bindInputs } from '../../core/compiler/run/bind.ts'
import { bindInTurns, bindsLong } from '../../core/compiler/run/bind-steps.ts'
import { codecFor, encodeArray, enumCodec, scalarName } from '../../core/compiler/types/codecs.ts'
import type { ParamSource } from '../../core/database/sql/param.ts'
import { TrellisError } from '../../core/errors/errors.ts'
import { below } from '../../core/errors/path.ts'

const pgType = (name: string): PgType => ({
  schema: 'pg_catalog',
  name,
  sql: name,
  kind: 'b',
  isArray: name.startsWith('_'),
})

const raw = (text: string) => JSON.rawJSON(text)

test('every PostgreSQL type maps to the documented scalar', () => {
  const names = [
    'int4',
    'int2',
    'int8',
    'float4',
    'float8',
    'bool',
    'text',
    'varchar',
    'citext',
    'bpchar',
    '_int4',
    'Mood',
  ]
  const scalars = [
    'Int',
    'smallint',
    'bigint',
    'Float',
    'float8',
    'Boolean',
    'String',
    'String',
    'citext',
    'bpchar',
    '_int4',
    'Mood',
  ]
  assert.deepEqual(
    names.map((name) => scalarName(pgType(name))),
    scalars,
  )
  assert.equal(scalarName(pgType('my type')), null)
})

const accepted: readonly (readonly [type: string, value: unknown, text: string])[] = [
  ['int4', -2147483648, '-2147483648'],
  ['int4', raw('1.0'), '1'],
  ['int4', raw('5e2'), '500'],
  ['float4', 1, '1'],
  ['float4', raw('1.25e300'), '1.25e300'],
  ['bool', false, 'false'],
  ['text', "it's", "it's"],
  ['int2', 32767, '32767'],
  ['int2', 'not looked at', 'not looked at'],
  ['int8', raw('9223372036854775807'), '9223372036854775807'],
  ['int8', '9223372036854775808', '9223372036854775808'],
  ['numeric', raw('0.10000000000000000000000000001'), '0.10000000000000000000000000001'],
  ['numeric', 'NaN', 'NaN'],
  ['float8', 1.5, '1.5'],
  ['money', 2, '2'],
  ['uuid', 'not looked at', 'not looked at'],
  ['jsonb', { a: [raw('1.000000000000000000001'), null, '"'] }, '{"a":[1.000000000000000000001,null,"\\""]}'],
  ['jsonb', 'text', '"text"'],
  ['json', 5, '5'],
  ['interval', '1 day', '1 day'],
  ['_int4', '{1,2}', '{1,2}'],
  ['_int4', [1, null, 2], '{"1",NULL,"2"}'],
  ['_int4', [[1], [2]], '{{"1"},{"2"}}'],
  ['_text', ['a"b\\', ',', '', 'NULL'], '{"a\\"b\\\\",",","","NULL"}'],
  ['_jsonb', [[1], { a: 1 }], '{"[1]","{\\"a\\":1}"}'],
  ['_box', ['(1,1),(0,0)', '(2,2),(0,0)'], '{"(1,1),(0,0)";"(2,2),(0,0)"}'],
]

for (const [type, value, text] of accepted) {
  test(`${type} takes ${JSON.stringify(value)}`, () => {
    assert.equal(codecFor(pgType(type)).encode(value), text)
  })
}

const integerBounds =
  'lies outside the bounds or is not an integer.  Maybe it is a float, or is there integer overflow?'
const floatBounds = 'lies outside the bounds.  Is it overflowing the float bounds?'

const refused: readonly (readonly [type: string, value: unknown, code: string, message: string, literal?: string])[] = [
  ['int4', 2147483648, 'parse-failed', `The value 2.147483648e9 ${integerBounds}`],
  ['int4', 1.5, 'parse-failed', `The value 1.5 ${integerBounds}`],
  ['int4', raw('1e1000000000'), 'parse-failed', `The value 1.0e1000000000 ${integerBounds}`],
  ['int4', '1', 'validation-failed', 'expected a 32-bit integer for type "Int", but found a string'],
  ['int4', 1.5, 'validation-failed', 'expected a 32-bit integer for type "Int", but found a float', 'a float'],
  ['int4', [], 'validation-failed', 'expected a 32-bit integer for type "Int", but found a list'],
  ['float4', raw('1e400'), 'parse-failed', `The value 1.0e400 ${floatBounds}`],
  ['float8', raw('-1e400'), 'parse-failed', `The value -1.0e400 ${floatBounds}`],
  ['float4', {}, 'validation-failed', 'expected a float for type "Float", but found an object'],
  ['bool', 0, 'validation-failed', 'expected a boolean for type "Boolean", but found a number'],
  ['text', true, 'validation-failed', 'expected a string for type "String", but found a boolean'],
  ['text', 'A', 'validation-failed', 'expected a string for type "String", but found an enum value', 'an enum value'],
  ['int2', -32769, 'parse-failed', `The value -32769.0 ${integerBounds}`],
  ['int8', raw('9223372036854775808'), 'parse-failed', `The value 9.223372036854775808e18 ${integerBounds}`],
  ['int8', true, 'parse-failed', 'parsing Int64 failed, expected Number, but encountered Boolean'],
  ['numeric', [], 'parse-failed', 'parsing Scientific failed, expected Number, but encountered Array'],
  ['uuid', 1, 'parse-failed', 'parsing UUID failed, expected String, but encountered Number'],
  ['interval', 5, 'parse-failed', 'A string is expected for type: interval'],
  ['_int4', 5, 'parse-failed', 'A string is expected for type: _int4'],
  ['_int4', [[[[[[[1]]]]]]], 'parse-failed', 'too many dimensions for type: _int4'],
]

for (const [type, value, code, message, literal] of refused) {
  test(`${type} refuses ${literal ?? JSON.stringify(value)}`, () => {
    assert.throws(
      () => codecFor(pgType(type)).encode(value, literal),
      (error) => error instanceof TrellisError && error.code === code && error.message === message,
    )
  })
}

test('the error of an array element has its index in the path', () => {
  assert.throws(() => codecFor(pgType('_int4')).encode([[1], [2, 'x']]), { path: [1, 1] })
})

test('JSON that is nested too deeply to be printed is refused', () => {
  let value: unknown = null
  for (let i = 0; i < 100_000; i++) value = [value]
  const message = 'the value for type jsonb is nested too deeply'
  assert.throws(() => codecFor(pgType('jsonb')).encode(value), { code: 'parse-failed', message })
})

test('a column of an enum table takes only values of that table', () => {
  const codec = enumCodec('colour_enum', [
    { value: 'red', comment: null },
    { value: 'blue', comment: 'like the sea' },
    { value: 'green', comment: null },
  ])
  assert.equal(codec.encode('blue'), 'blue')
  assert.equal(codec.encode('blue', 'an enum value'), 'blue')
  const unknown = 'expected one of the values red, blue, or green for type "colour_enum", but found "pink"'
  assert.throws(() => codec.encode('pink'), { code: 'validation-failed', message: unknown })
  const kind = 'expected an enum value for type "colour_enum", but found a string'
  assert.throws(() => codec.encode('blue', 'a string'), { code: 'validation-failed', message: kind })
})

test('array texts quote every item', () => {
  assert.equal(encodeArray(['a', 'b"\\', null, '']), '{"a","b\\"\\\\",null,""}')
  assert.equal(encodeArray(['"\n\u007f', '\\😀', '"\ud800']), '{"\\"\n\u007f","\\\\😀","\\"\ud800"}')
  assert.equal(encodeArray([]), '{}')
})

test('inputs that are bound in turns have the values and errors of those that are bound at once', async () => {
  const mixed = [null, 1, raw('12345678901234567890'), 'a"b\\', [1, [true]], { a: { b: [null] }, __proto__: 1 }]
  const rows = Array.from({ length: 2500 }, (_, i) => ({
    number: i % 7 === 0 ? null : i,
    text: `t${i}"`,
    json: mixed[i % mixed.length],
    list: [String(i), null],
  }))
  const session = { role: 'admin', variables: {} } as never
  const types = { number: 'int4', text: 'text', json: 'jsonb', list: '_text' }
  const input = { kind: 'variable', name: 'rows', path: [] } as const
  const sources = Object.entries(types).flatMap(([member, type]): ParamSource[] => {
    const codec = codecFor(pgType(type))
    const one = { kind: 'variable', name: 'rows', path: [5, member] } as const
    return [
      { from: 'members', input, member, codec, path: below(null, 'rows')! },
      { from: 'input', input: one, codec, list: false, path: below(null, 'one') },
      {
        from: 'input',
        input: { kind: 'variable', name: member, path: [] },
        codec,
        list: true,
        path: below(null, 'all'),
      },
    ]
  })
  const lists = Object.keys(types).map((member) => [member, rows.map((row) => row[member as keyof typeof types])])
  const bindings = { variables: { rows, ...Object.fromEntries(lists) }, session }
  assert.ok(bindsLong(bindings.variables))
  assert.deepEqual([...(await bindInTurns(sources, bindings))], [...bindInputs(sources, bindings)])

  const wrong = { ...bindings, variables: { rows: rows.with(2100, { ...rows[0]!, list: ['a', 5] as never }) } }
  const members = sources.filter(({ from }) => from === 'members')
  const path = ['rows', 2100, 'list', 1]
  assert.throws(() => bindInputs(members, wrong), { path })
  await assert.rejects(bindInTurns(members, wrong), { path })
})
