import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Hand } from '../../plugins/delivery/hand.ts'

test('what was claimed first is begun first, and what is left is given back', () => {
  const hand = new Hand<string>()
  hand.add(['a', 'b'], 1)
  assert.deepEqual(hand.take(), { item: 'a', since: 1 })
  hand.add(['c'], 2)
  assert.equal(hand.size, 2)
  assert.equal(hand.take()?.item, 'b')
  assert.deepEqual(hand.putDown(), ['c'])
  assert.deepEqual([hand.size, hand.take()], [0, undefined])
})

test('no more may lie in a hand than was delivered just before', () => {
  const hand = new Hand<string>()
  assert.equal(hand.room(0), 0)
  for (let i = 0; i < 30; i++) hand.delivered(150)
  assert.equal(hand.room(160), 30)
  assert.equal(hand.room(250), 30)
  assert.equal(hand.room(350), 0)
})

test('what was claimed until a time is put down, the rest stays', () => {
  const hand = new Hand<string>()
  hand.add(['a', 'b'], 0)
  hand.add(['c'], 500)
  assert.equal(hand.take()?.item, 'a')
  assert.deepEqual(hand.putDown(400), ['b'])
  assert.equal(hand.take()?.item, 'c')
  assert.equal(hand.size, 0)
})
