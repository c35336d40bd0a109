// The language of templates.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { evaluate } from '../../plugins/transforms/kriti/evaluate.ts'
import { parseTemplate, parseTextTemplate } from '../../plugins/transforms/kriti/parse.ts'
import { TemplateError, TemplateSyntaxError } from '../../plugins/transforms/kriti/syntax.ts'

const body = {
  name: 'Ada',
  age: 36,
  tags: ['x', 'y', null],
  address: { city: 'London', 'street name': 'St James' },
  rows: [{ id: 1 }, { id: 2 }],
  nothing: null,
  yes: true,
}

const result = (text: string, of: unknown = body): unknown =>
  JSON.parse(JSON.stringify(evaluate(parseTemplate(text), { variables: { $body: of, $base_url: 'http://a' } })))

const values: readonly (readonly [template: string, value: unknown])[] = [
  ['{"a": {{ $body.name }}, "b": [1, 2.50, "t", true, null]}', { a: 'Ada', b: [1, 2.5, 't', true, null] }],
  ['{{$body}}', body],
  [`{{ $body.address['street name'] }}`, 'St James'],
  ['{{ $body["address"].city }}', 'London'],
  ['{{ $body.tags[1] }}', 'y'],
  ['{{ $body.missing?.deeper.still }}', null],
  ['{{ $body?.missing }}', null],
  [`{{ $body?['missing'] ?? "none" }}`, 'none'],
  ['{{ $body.nothing ?? $body?.missing ?? 3 }}', 3],
  ['"{{ $base_url }}/{{ $body.age }}?n={{$body.name}}"', 'http://a/36?n=Ada'],
  ['"{{ $body.tags }} {{ $body.nothing }} {{ $body.yes }}"', '["x","y",null] null true'],
  [String.raw`"a\n\"b\" \u00e4 \\ {{ concat(["x", 'y']) }}"`, 'a\n"b" ä \\ xy'],
  ['{{ if $body.age > 30 && not(empty($body.name)) }} "old" {{ else }} "young" {{ end }}', 'old'],
  ['{{ if $body.age < 30 }} 1 {{ elif $body.name == "Ada" }} 2 {{ else }} 3 {{ end }}', 2],
  [
    '{{ range i, x := $body.rows }} {"n": {{ i }}, "id": {{ x.id }}, "of": {{ $body.name }}} {{ end }}',
    [
      { n: 0, id: 1, of: 'Ada' },
      { n: 1, id: 2, of: 'Ada' },
    ],
  ],
  [
    '{{ range _, x := $body.rows }}{{ range _, x := $body.tags }}{{ x }}{{ end }}{{ end }}',
    [
      ['x', 'y', null],
      ['x', 'y', null],
    ],
  ],
  ['{{ "x" in $body.tags }}', true],
  ['{{ "city" in $body.address }}', true],
  ['{{ $body.rows == [{"id": 1}, {"id": 2}] }}', true],
  ['{{ $body.age != 36.0 || ($body.age >= 36 && $body.age <= 36) }}', true],
  ['{{ size $body.tags }}', 3],
  ['{{ inverse "abc" }}', 'cba'],
  ['{{ head $body.tags }}', 'x'],
  ['{{ tail($body.tags) }}', ['y', null]],
  ['{{ removeNulls($body.tags) }}', ['x', 'y']],
  ['{{ toUpper (toLower $body.name) }}', 'ADA'],
  ['{{ toTitle "the ada lovelace" }}', 'The Ada Lovelace'],
  [
    '{{ toPairs $body.address }}',
    [
      ['city', 'London'],
      ['street name', 'St James'],
    ],
  ],
  ['{{ fromPairs([["a", 1], ["b", 2]]) }}', { a: 1, b: 2 }],
  ['{{ concat([{"a": 1}, {"b": 2}]) }}', { a: 1, b: 2 }],
  ['{{ escapeUri "a b&c" }}', 'a%20b%26c'],
  ['{"{{ $body.name }}": 1}', { Ada: 1 }],
]

for (const [template, expected] of values) {
  test(`the value of ${template}`, () => {
    assert.deepEqual(result(template), expected)
  })
}

test('numbers keep all digits', () => {
  const text = '{"a": {{ $body.n }}, "b": 1.50, "c": "{{ $body.n }}"}'
  const of = { n: JSON.rawJSON('12345678901234567890.10') }
  const value = evaluate(parseTemplate(text), { variables: { $body: of } })
  assert.equal(JSON.stringify(value), '{"a":12345678901234567890.10,"b":1.50,"c":"12345678901234567890.10"}')
})

const syntaxErrors: readonly (readonly [template: string, message: string])[] = [
  ['$body.name', `Unexpected token '$body'.`],
  ['{{ $body.name', 'Unexpected end of the template.'],
  ['{"a": }', `Unexpected token '}'.`],
  ['{"a": 1,}', `Unexpected token '}'.`],
  ['[1 2]', `Unexpected token '2'.`],
  ['', 'Unexpected end of the template.'],
  ['1 2', `Unexpected token '2'.`],
  ['{{ if $body.yes }} 1 {{ end }}', `Unexpected token 'end'.`],
  ['{{ range x := $body.rows }} 1 {{ end }}', `Unexpected token ':='.`],
  ['{{ $body.tags[-1] }}', `Unexpected token '-1'.`],
  ['{{ $body. }}', `Unexpected token ' '.`],
  ['{{ end }}', `Unexpected token 'end'.`],
  ['"\\x"', `Unexpected token '"'.`],
]

for (const [template, message] of syntaxErrors) {
  test(`a template that cannot be parsed: ${template}`, () => {
    assert.throws(() => parseTemplate(template), new TemplateSyntaxError(message))
  })
}

const failures: readonly (readonly [template: string, code: string, message: string])[] = [
  ['{{ $nobody }}', 'Invalid Path', '"$nobody" is not defined.'],
  ['{{ $body.address.zip }}', 'Invalid Path', '"$body.address.zip" does not exist.'],
  ['{{ $body.tags[7] }}', 'Invalid Path', '"$body.tags[7]" does not exist.'],
  ['{{ $body.__proto__ }}', 'Invalid Path', '"$body.__proto__" does not exist.'],
  ['{{ $body.constructor }}', 'Invalid Path', '"$body.constructor" does not exist.'],
  ['{{ if $body.name }} 1 {{ else }} 2 {{ end }}', 'Type Error', 'Expected Boolean, but got String.'],
  ['{{ $body.name < 3 }}', 'Type Error', 'String and Number have no order.'],
  ['{{ 1 in 2 }}', 'Type Error', 'Expected Array or Object, but got Number.'],
  ['{{ range _, x := $body.name }} 1 {{ end }}', 'Range Error', 'Expected Array, but got String.'],
  ['{{ nope $body.name }}', 'Function Error', 'Function "nope" is not defined.'],
  ['{{ constructor "x" }}', 'Function Error', 'Function "constructor" is not defined.'],
  ['{{ head [] }}', 'Function Error', 'head: Expected a value that is not empty.'],
  ['{{ not $body.name }}', 'Function Error', 'not: Expected Boolean, but got String.'],
]

for (const [template, code, message] of failures) {
  test(`a template without a value: ${template}`, () => {
    assert.throws(
      () => result(template),
      (error) => {
        assert.ok(error instanceof TemplateError)
        assert.deepEqual([error.code, error.message], [code, message])
        return true
      },
    )
  })
}

test('an error has its position in the text', () => {
  const text = '{\n  "a": {{ $body.nope }}\n}'
  assert.throws(
    () => result(text),
    (error) => {
      assert.deepEqual((error as TemplateError).listed(text).source_position, {
        start_line: 2,
        start_column: 11,
        end_line: 2,
        end_column: 20,
      })
      return true
    },
  )
})

const nested = (times: number): string => `${'['.repeat(times)}${']'.repeat(times)}`
const loops = (times: number): string => `${'{{ range _, x := $body }}'.repeat(times)}1${'{{ end }}'.repeat(times)}`

const loop = (inner: string) => `{{ range _, x := $body.items }} ${inner} {{ end }}`

test('comparisons, functions and paths count as work', () => {
  const items = Array.from({ length: 50_000 }, () => ({}))
  const [one, other] = [`${'x'.repeat(2_000_000)}1`, `${'x'.repeat(2_000_000)}2`]
  const members = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`m${i}`, 0]))
  const digits = JSON.rawJSON('1'.repeat(2_000_000))
  let deep: unknown = 1
  for (let i = 0; i < 400; i++) deep = [deep]
  const of = { items, one, other, members, digits, deep }
  const templates = [
    loop('{{ $body.one < $body.other }}'),
    loop('{{ $body.one == $body.other }}'),
    loop('{{ $body.digits <= $body.digits }}'),
    loop('{{ x == $body.members }}'),
    '{{ $body.members in $body.items }}',
    loop('{{ empty $body.members }}'),
    loop('{{ head $body.one }}'),
    loop(`{{ $body.deep${'[0]'.repeat(400)} }}`),
  ]
  for (const template of templates) {
    const began = performance.now()
    assert.throws(() => result(template, of), { code: 'Limit Error' }, template.slice(0, 80))
    assert.ok(performance.now() - began < 5000, template.slice(0, 80))
  }
})

test('a chain of operators may be long', () => {
  assert.equal(result(`{{ ${'false || '.repeat(9000)} true }}`), true)
  assert.equal(result(`{{ ${'null ?? '.repeat(9000)} 3 }}`), 3)
  assert.throws(() => result(`{{ ${'1 == '.repeat(9000)} 1 || 2 }}`), { code: 'Type Error' })
})

test('functions count characters, not UTF-16 units', () => {
  const of = { text: '😀bß', words: "o'neil ǆ élan 😀x" }
  assert.equal(result('{{ head $body.text }}', of), '😀')
  assert.equal(result('{{ tail $body.text }}', of), 'bß')
  assert.equal(result('{{ size $body.text }}', of), 3)
  assert.equal(result('{{ inverse $body.text }}', of), 'ßb😀')
  assert.equal(result('{{ toTitle $body.words }}', of), "O'neil Ǆ Élan 😀X")
})

test('a template that would run for very long is stopped', () => {
  const items = Array.from({ length: 100 }, (_, i) => i)
  const [long, large] = ['x'.repeat(1_000_000), { a: 'x'.repeat(1000) }]
  const cases: readonly [string, unknown][] = [
    [loops(5), items],
    [`{{ range _, x := $body.items }}{{ $body.long }}{{ end }}`, { items, long }],
    [`"${'{{ $body }}'.repeat(50)}"`, long],
    [
      `{{ range _, x := $body.items }}{{ range _, y := $body.items }}{{ toPairs $body }}{{ end }}{{ end }}`,
      { items, large },
    ],
  ]
  for (const [template, of] of cases) {
    const began = performance.now()
    assert.throws(() => result(template, of), { code: 'Limit Error' })
    assert.ok(performance.now() - began < 5000, template.slice(0, 60))
  }
  assert.throws(() => parseTemplate(nested(300)), /nested more than 200 levels/)
  assert.throws(() => parseTemplate(`"${'x'.repeat(100_001)}"`), /more than 100000 characters/)
  assert.throws(() => parseTemplate(`{{ ${'('.repeat(5000)}1${')'.repeat(5000)} }}`), /nested more than 200 levels/)
})

test('any JSON is a template of itself, and any text a text template of itself', () => {
  const plain = fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes('{{'))
  fc.assert(
    fc.property(plain, (value) => {
      assert.deepEqual(result(JSON.stringify(value)), JSON.parse(JSON.stringify(value)))
    }),
  )
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }).filter((text) => !text.includes('{{')),
      (text) => {
        assert.equal(evaluate(parseTextTemplate(text), { variables: {} }), text)
      },
    ),
  )
})

test('a template of any text has a value, or a template error', () => {
  const pieces = [
    '{{',
    '}}',
    ' ',
    'if',
    'else',
    'elif',
    'end',
    'range',
    ',',
    ':=',
    '$body',
    '.a',
    '[0]',
    '"',
    "'",
    '{',
    '}',
  ]
  const more = [
    '[',
    ']',
    ':',
    '1',
    '-',
    '==',
    '&&',
    '??',
    '?',
    'in',
    '(',
    ')',
    'not',
    'null',
    '\\',
    '\n',
    'ä',
    '$body.rows',
  ]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces, ...more), { maxLength: 24 }), (parts) => {
      try {
        result(parts.join(''))
      } catch (error) {
        assert.ok(error instanceof TemplateSyntaxError || error instanceof TemplateError, String(error))
      }
    }),
    { numRuns: 3000 },
  )
})
