import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Prefetch } from '../../plugins/delivery/prefetch.ts'

test('items are taken in the order of their claims, and the rest can be removed', () => {
  const prefetch = new Prefetch<string>()
  prefetch.add(['a', 'b'], 1)
  assert.deepEqual(prefetch.take(), { item: 'a', since: 1 })
  prefetch.add(['c'], 2)
  assert.equal(prefetch.size, 2)
  assert.equal(prefetch.take()?.item, 'b')
  assert.deepEqual(prefetch.remove(), ['c'])
  assert.deepEqual([prefetch.size, prefetch.take()], [0, undefined])
})

test('no more may lie in the prefetch than was delivered just before', () => {
  const prefetch = new Prefetch<string>()
  assert.equal(prefetch.room(0), 0)
  for (let i = 0; i < 30; i++) prefetch.delivered(150)
  assert.equal(prefetch.room(160), 30)
  assert.equal(prefetch.room(250), 30)
  assert.equal(prefetch.room(350), 0)
})

test('items claimed up to a time are removed, and the others stay', () => {
  const prefetch = new Prefetch<string>()
  prefetch.add(['a', 'b'], 0)
  prefetch.add(['c'], 500)
  assert.equal(prefetch.take()?.item, 'a')
  assert.deepEqual(prefetch.remove(400), ['b'])
  assert.equal(prefetch.take()?.item, 'c')
  assert.equal(prefetch.size, 0)
})
