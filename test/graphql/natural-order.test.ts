import assert from 'node:assert/strict'
import test from 'node:test'
import { naturalCompare } from 'graphql/jsutils/naturalCompare'
import { compareNaturally } from '../../core/names/natural-order.ts'
import fc from '../support/fast-check.ts'

test('names have the order of graphql-js, digits as numbers', () => {
  assert.ok(compareNaturally('a2', 'a10') < 0)
  const digits = fc.stringMatching(/^[0-9]{0,15}$/)
  const part = fc.tuple(digits, fc.constantFrom('a', 'b', 'Z', '_')).map((texts) => texts.join(''))
  const name = fc.tuple(fc.array(part, { maxLength: 4 }), digits).map(([parts, last]) => parts.join('') + last)
  const equal = fc.property(name, name, (a, b) => {
    assert.equal(Math.sign(compareNaturally(a, b)), Math.sign(naturalCompare(a, b)), `${a} ${b}`)
  })
  fc.assert(equal, { numRuns: 5000 })
})

test('long numbers that differ in their last digit have an order, too', () => {
  assert.ok(compareNaturally('a12345678901234567891', 'a12345678901234567892') < 0)
})
