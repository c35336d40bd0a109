// Long JSON is parsed in parts: results and refusals are the same as in one part.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce } from '../../core/concurrency/stepwise.ts'
import { type NumberMode, parseJson } from '../../core/json/json.ts'
import { JsonLimitError, parseSteps } from '../../core/json/json-steps.ts'
import { stringifySteps } from '../../core/json/stringify-steps.ts'
import fc from '../support/fast-check.ts'

const limits = { depth: 1000, values: 100_000, members: 1000 }

const parse = (text: string, partSize: number, mode: NumberMode = 'lossless') =>
  atOnce(parseSteps(Buffer.from(text), mode, limits, partSize))

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom('1.0', '-0', '1e3', '12345678901234567890123', '0.00000001', '1E-400'),
)

const key = fc.oneof(fc.constantFrom('__proto__', '0', '1', '', 'a', 'b'), fc.string({ unit: 'grapheme' }))

const space = fc.constantFrom('', '', ' ', '\n\t')

/** The text of any JSON value, keys that repeat among it. */
const { value: json } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.oneof(
      number,
      key.map((text) => JSON.stringify(text)),
      fc.constantFrom('null', 'true', 'false'),
    ),
    fc.tuple(fc.array(tie('value'), { maxLength: 6 }), space).map(([items, gap]) => `[${gap}${items.join(`${gap},`)}]`),
    fc
      .tuple(fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }), space)
      .map(
        ([members, gap]) =>
          `{${members.map(([name, item]) => `${JSON.stringify(name)}${gap}:${item}`).join(`,${gap}`)}}`,
      ),
  ),
}))

const partSize = fc.integer({ min: 1, max: 60 })

const mode = fc.constantFrom<NumberMode>('lossless', 'precise')

test('any JSON that is parsed in parts is the same as parsed at once', () => {
  fc.assert(
    fc.property(json, partSize, mode, (text, size, numbers) => {
      assert.deepEqual(parse(text, size, numbers), parseJson(text, numbers))
      assert.equal(JSON.stringify(parse(text, size, numbers)), JSON.stringify(parseJson(text, numbers)))
    }),
    { numRuns: 150 },
  )
})

test('any JSON that is printed in steps is the same as printed at once', () => {
  fc.assert(
    fc.property(json, fc.integer({ min: 1, max: 20 }), mode, (text, size, numbers) => {
      const value = parseJson(text, numbers)
      assert.equal(atOnce(stringifySteps(value, size)), JSON.stringify(value))
    }),
    { numRuns: 150 },
  )
})

const refuses = (work: () => unknown): boolean => {
  try {
    work()
    return false
  } catch {
    return true
  }
}

test('a text that is not JSON is refused alike, in parts and at once', () => {
  const damage = fc.tuple(
    fc.nat(),
    fc.nat({ max: 2 }),
    fc.constantFrom(',', '[', ']', '{', '}', ':', '"', '\\', '1', ''),
  )
  fc.assert(
    fc.property(json, damage, partSize, (text, [place, removed, inserted], size) => {
      const at = place % (text.length + 1)
      const damaged = `${text.slice(0, at)}${inserted}${text.slice(at + removed)}`
      assert.equal(
        refuses(() => parse(damaged, size)),
        refuses(() => parseJson(damaged, 'lossless')),
        damaged,
      )
    }),
    { numRuns: 400 },
  )
})

test('commas without a member beside them are refused wherever a part ends', () => {
  for (const text of ['[1,2,]', '[,1]', '[1,,2]', '{"a":1,}', '{,"a":1}', '{"a":[1,],"b":2}', '[[1,2],]', '[1 , ]']) {
    for (let size = 1; size < 10; size++) assert.throws(() => parse(text, size), SyntaxError, `${text} ${size}`)
  }
})

test('too many values, levels and members are refused before the rest is parsed', () => {
  const refusal = (text: string) => {
    try {
      return parse(text, 16)
    } catch (error) {
      return error instanceof JsonLimitError ? error.limit : error
    }
  }
  assert.equal(refusal(`[${'{},'.repeat(60_000)}{}`), 'values')
  assert.equal(refusal('['.repeat(1001)), 'depth')
  const members = (count: number) => Array.from({ length: count }, (_, i) => `"${i}":[0,0,0]`).join()
  assert.equal(refusal(`{"a":{${members(1002)}`), 'members')
  assert.deepEqual(Object.keys(refusal(`{${members(999)}}`) as object).length, 999)
})
