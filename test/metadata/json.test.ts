import assert from 'node:assert/strict'
import test from 'node:test'
import { deepFreeze, isRawNumber, jsonType, parseJson, sameJson } from '../../core/json/json.ts'
import { hasPlainNumbers, scanJson } from '../../core/json/json-scan.ts'
import fc from '../support/fast-check.ts'

const printed = (text: string, mode: 'precise' | 'lossless') => JSON.stringify(parseJson(text, mode))

test('numbers that a double cannot hold keep their digits in both modes', () => {
  for (const text of ['12345678901234567890', '0.12345678901234567890123', '1e400', '-1e-400', '[9007199254740993]']) {
    assert.equal(printed(text, 'precise'), text)
    assert.equal(printed(text, 'lossless'), text)
  }
})

test('the lossless mode keeps the spelling of every number, the precise mode only what would lose digits', () => {
  for (const text of ['1.0', '1e3', '-0', '0.10', '1E-7', '0.0000001', '1.50e+2']) {
    assert.equal(printed(text, 'lossless'), text)
    assert.equal(typeof parseJson(text, 'precise'), 'number')
  }
})

test('a number with millions of zeros is parsed quickly', () => {
  const zeros = '0'.repeat(2_000_000)
  for (const text of [`1.${zeros}1`, `1${zeros}1`, `1${zeros}.5`]) assert.equal(printed(text, 'precise'), text)
})

test('numbers that survive a double are plain numbers', () => {
  for (const value of [0, 1, -1, 1.5, 0.1, 123456789012345, 1e-6, 0.3]) {
    assert.equal(parseJson(JSON.stringify(value), 'lossless'), value)
    assert.equal(parseJson(JSON.stringify(value), 'precise'), value)
  }
})

test('any decimal number is printed with its value, and in lossless mode with its very text', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 30 })
  const number = fc
    .tuple(fc.boolean(), digits, fc.option(digits), fc.option(fc.integer({ min: -500, max: 500 })))
    .map(([negative, whole, fraction, exponent]) => {
      const integer = whole.replace(/^0+(?=\d)/, '')
      const rest = `${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`
      return `${negative ? '-' : ''}${integer}${rest}`
    })
  fc.assert(
    fc.property(number, (text) => {
      assert.equal(printed(`{"a":[${text}]}`, 'lossless'), `{"a":[${text}]}`)
      const precise = parseJson(text, 'precise')
      if (!isRawNumber(precise)) assert.equal(precise, Number(text))
    }),
    { numRuns: 500 },
  )
})

test('digits inside strings change nothing', () => {
  const text = '{"a":"12345678901234567890","b":"1.0","c":"kind-0, 1.0"}'
  assert.deepEqual(parseJson(text, 'lossless'), JSON.parse(text))
})

test('a number keeps its digits wherever it stands', () => {
  for (const place of ['$', ' $', '[$]', '[1,$]', '{"a":$}', '{"a": $ }', '\n[\n$\n]']) {
    for (const number of ['12345678901234567890', '-0.1234567890123456789', '-1e400']) {
      const value = JSON.stringify(parseJson(place.replace('$', number), 'precise'))
      assert.ok(value.includes(number), `${place}: ${value}`)
    }
  }
})

test('a key __proto__ is an own property and changes no prototype', () => {
  for (const text of ['{"__proto__":{"polluted":1}}', '{"__proto__":{"polluted":12345678901234567890}}']) {
    const value = parseJson(text, 'precise') as object
    assert.deepEqual(Object.keys(value), ['__proto__'])
    assert.equal(Object.getPrototypeOf(value), Object.prototype)
    assert.equal(JSON.stringify(value), text)
  }
})

test('a kept number is of type Number', () => {
  assert.equal(jsonType(parseJson('12345678901234567890', 'precise')), 'Number')
})

test('sameJson compares by value and ignores the order of keys', () => {
  assert.ok(sameJson({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }))
  assert.ok(sameJson(parseJson('[12345678901234567890]', 'precise'), parseJson('[12345678901234567890]', 'precise')))
  for (const [a, b] of [
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { b: 1 }],
    [[1], { 0: 1 }],
    [null, {}],
    [parseJson('{"__proto__":1}', 'precise'), {}],
    [{ a: undefined }, { b: undefined }],
  ]) {
    assert.equal(sameJson(a, b), false)
  }
})

test('deepFreeze freezes everything inside', () => {
  const value = deepFreeze({ a: [{ b: 1 }] })
  assert.ok(Object.isFrozen(value) && Object.isFrozen(value.a) && Object.isFrozen(value.a[0]))
})

const depthOf = (text: string) => scanJson(Buffer.from(text)).depth

test('the depth counts lists and objects outside strings', () => {
  assert.equal(depthOf('1'), 0)
  assert.equal(depthOf('{"a":[1,{"b":"[[[[\\"{{"}]}'), 3)
  assert.equal(depthOf('["\\\\",[]]'), 2)
  assert.equal(depthOf('['.repeat(100_000)), 100_000)
})

test('a text that the scan calls safe survives JSON.parse', () => {
  const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }).map(String), fc.integer().map(String))
  const spelled = fc.tuple(number, fc.constantFrom('', '0', '00', '.0', 'e0', 'E5')).map(([a, b]) => a + b)
  const text = fc
    .array(
      fc.oneof(
        spelled,
        fc.json(),
        fc.string().map((s) => JSON.stringify(s)),
      ),
    )
    .map((all) => `[${all}]`)
  fc.assert(
    fc.property(text, (json) => {
      let value: unknown
      try {
        value = JSON.parse(json)
      } catch {
        return
      }
      const { mayRespell } = scanJson(Buffer.from(json))
      if (hasPlainNumbers(json)) assert.ok(!mayRespell, json)
      if (!mayRespell) assert.equal(JSON.stringify(value).replace(/\s/g, ''), respaced(json))
    }),
    { numRuns: 1000 },
  )
})

/** The text with strings as `JSON.stringify` prints them, without spaces, and with unchanged numbers. */
const respaced = (json: string): string =>
  JSON.stringify(
    JSON.parse(json, (_key, value, { source }) => (typeof value === 'number' ? JSON.rawJSON(source!) : value)),
  ).replace(/\s/g, '')

test('the quick scan accepts the numbers of most bodies', () => {
  for (const plain of ['{"id":123456789012345,"amount":-12.5,"rate":0.000001}', '[1.05,0.1,0]', '"a text"']) {
    assert.ok(hasPlainNumbers(plain), plain)
  }
  for (const notable of ['1234567890123456', '1.50', '1e3', '2E5', '-0', '0.0000001', '12345678.12345678']) {
    assert.ok(!hasPlainNumbers(notable), notable)
  }
})

test('the scan ends for any input', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => scanJson(bytes).depth >= 0))
  for (const text of ['"', '"\\', '-', '1.', '{', '}]', '1e', '']) assert.ok(scanJson(Buffer.from(text)).depth >= 0)
})
