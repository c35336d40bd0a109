import assert from 'node:assert/strict'
import test from 'node:test'
import { atOnce } from '../../core/concurrency/stepwise.ts'
import { sortedByName } from '../../core/graphql/schema/sorted-by-name.ts'
import { compareNaturally } from '../../core/names/natural-order.ts'
import fc from '../support/fast-check.ts'

const name = fc.stringMatching(/^[a-c_]{0,2}[0-9]{0,3}[a-c_]{0,2}$/)

/** Names in several runs, each of them in order, as those of a schema are. */
const runs = fc
  .array(fc.array(name, { maxLength: 500, size: 'max' }), { maxLength: 5 })
  .map((each) => each.flatMap((names) => names.toSorted(compareNaturally)))

const names = fc.oneof(fc.array(name, { maxLength: 200 }), runs)

test('items are in the order of their names, and those of one name keep theirs', () => {
  const sorts = fc.property(names, (all) => {
    const items = all.map((name, i) => ({ name, i }))
    assert.deepEqual(
      atOnce(sortedByName(items)),
      items.toSorted((a, b) => compareNaturally(a.name, b.name)),
    )
  })
  fc.assert(sorts)
})

test('the sort of many items pauses', () => {
  const items = Array.from({ length: 50_000 }, (_, i) => ({ name: `item_${(i * 7919) % 50_000}` }))
  const steps = sortedByName(items)
  let pauses = 0
  for (;;) {
    const { done, value } = steps.next()
    if (!done) pauses++
    else {
      assert.deepEqual(
        value.map(({ name }) => name),
        Array.from({ length: 50_000 }, (_, i) => `item_${i}`),
      )
      break
    }
  }
  assert.ok(pauses > 100)
})
