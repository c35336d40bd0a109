import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Prefetch } from '../../core/queue/prefetch.ts'

interface Item {
  readonly id: string
  readonly trigger_name?: string
}

const items = (...ids: string[]): Item[] => ids.map((id) => ({ id }))
const of = (trigger_name: string, ...ids: string[]): Item[] => ids.map((id) => ({ id, trigger_name }))
const idsOf = (removed: readonly Item[]) => removed.map(({ id }) => id)

test('items are taken in the order of their claims, and the rest can be removed', () => {
  const prefetch = new Prefetch<Item>(({ trigger_name }) => trigger_name)
  prefetch.add(items('a', 'b'), 1)
  assert.deepEqual(prefetch.take(), { item: { id: 'a' }, since: 1 })
  prefetch.add(items('c'), 2)
  assert.equal(prefetch.size, 2)
  assert.equal(prefetch.take()?.item.id, 'b')
  assert.deepEqual(idsOf(prefetch.remove()), ['c'])
  assert.deepEqual([prefetch.size, prefetch.take()], [0, undefined])
})

test('groups take turns', () => {
  const prefetch = new Prefetch<Item>(({ trigger_name }) => trigger_name)
  prefetch.add([...of('slow', 'a', 'b', 'c', 'd'), ...of('fast', 'x', 'y')], 1)
  prefetch.add([...of('slow', 'e'), ...of('fast', 'z')], 2)
  const taken = Array.from({ length: 9 }, () => prefetch.take()?.item.id)
  assert.deepEqual(taken, ['a', 'x', 'b', 'y', 'c', 'z', 'd', 'e', undefined])
})

test('items that may not begin yet let others pass, and keep their order', () => {
  const prefetch = new Prefetch<Item>(({ trigger_name }) => trigger_name)
  prefetch.add([...of('slow', 'a', 'b'), ...of('fast', 'x')], 1)
  const notSlow = ({ trigger_name }: Item) => trigger_name !== 'slow'
  assert.equal(prefetch.take(notSlow)?.item.id, 'x')
  assert.equal(prefetch.take(notSlow), undefined)
  assert.equal(prefetch.size, 2)
  assert.equal(prefetch.take()?.item.id, 'a')
})

test('the prefetch holds no more than was just delivered', () => {
  const prefetch = new Prefetch<Item>(({ trigger_name }) => trigger_name)
  assert.equal(prefetch.room(0), 0)
  for (let i = 0; i < 30; i++) prefetch.ended(150)
  assert.equal(prefetch.room(160), 30)
  assert.equal(prefetch.room(250), 30)
  assert.equal(prefetch.room(350), 0)
})

test('items claimed up to a time are removed, and the others stay', () => {
  const prefetch = new Prefetch<Item>(({ trigger_name }) => trigger_name)
  prefetch.add([...of('one', 'a', 'b'), ...of('two', 'd')], 0)
  prefetch.add(of('one', 'c'), 500)
  assert.equal(prefetch.take()?.item.id, 'a')
  assert.deepEqual(idsOf(prefetch.remove(400)).sort(), ['b', 'd'])
  assert.equal(prefetch.take()?.item.id, 'c')
  assert.equal(prefetch.size, 0)
})
