import assert from 'node:assert/strict'
import test from 'node:test'
import { compareNaturally, naturalKey } from '../../core/names/natural-order.ts'
import fc from '../support/fast-check.ts'

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

test('keys of names have the natural order of the names, digits as numbers', () => {
  assert.equal(order(naturalKey('a2'), naturalKey('a10')), -1)
  const digits = fc.stringMatching(/^[0-9]{0,15}$/)
  const part = fc.tuple(digits, fc.constantFrom('a', 'b', 'Z', '_')).map((texts) => texts.join(''))
  const name = fc.tuple(fc.array(part, { maxLength: 4 }), digits).map(([parts, last]) => parts.join('') + last)
  const equal = fc.property(name, name, (a, b) => {
    assert.equal(order(naturalKey(a), naturalKey(b)), Math.sign(compareNaturally(a, b)), `${a} ${b}`)
  })
  fc.assert(equal, { numRuns: 5000 })
})
