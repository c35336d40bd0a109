import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, type Seat, Shares } from '../../core/concurrency/shares.ts'
import fc from '../support/fast-check.ts'

const caller = (session: string, network = 'here', connection: object = {}): Caller => ({
  connection,
  session,
  network,
})

/** Takes all places that are available at once. */
function fill(shares: Shares, make: () => Caller, most = 1000): Seat[] {
  const seats: Seat[] = []
  for (let one = make(); seats.length < most && shares.hasRoom(one); one = make()) {
    const seat = shares.enter(one)
    assert.ok(!(seat instanceof Promise))
    seats.push(seat)
  }
  return seats
}

test('a connection, a session at a network, a session and a network each leave places free', () => {
  const shares = () => new Shares({ places: 44, percent: 75 })
  const one = caller('a')
  assert.equal(fill(shares(), () => one).length, 22)
  assert.equal(fill(shares(), () => caller('a')).length, 33)
  let n = 0
  assert.equal(fill(shares(), () => caller('a', `network ${n++ % 5}`)).length, 39)
  assert.equal(fill(shares(), () => caller(`session ${n++ % 5}`)).length, 39)
})

test('a caller without a place always gets one, and 100 percent means no limit', async () => {
  const shares = new Shares({ places: 4, percent: 75 })
  let n = 0
  assert.equal(fill(shares, () => caller(`session ${n++}`, `network ${n}`), 10).length, 10)
  const unlimited = new Shares({ places: 4, percent: 100 })
  const one = caller('a')
  const all = await Promise.all(Array.from({ length: 9 }, (_, i) => unlimited.run(one, null, async () => i)))
  assert.equal(all.length, 9)
})

test('a caller that exceeds its share waits in its own queue until its timeout or its signal', async () => {
  const error = () => new Error('late')
  const shares = new Shares({ places: 10, percent: 75, timeout: { millis: 30, error } })
  const greedy = caller('a')
  const held = fill(shares, () => greedy)
  assert.equal(held.length, 5)
  await assert.rejects(Promise.resolve(shares.enter(greedy)), /late/)
  const ending = new AbortController()
  const ended = shares.enter(greedy, ending.signal)
  ending.abort(new Error('gone'))
  await assert.rejects(Promise.resolve(ended), /gone/)
  const next = shares.enter(greedy)
  assert.equal(shares.waiting, 1)
  assert.ok(!(shares.enter(caller('b', 'there')) instanceof Promise))
  // With another caller the share is smaller.
  for (const seat of held.splice(0, 2)) seat.leave()
  const seat = await next
  assert.equal(shares.waiting, 0)
  seat.leave()
})

test('every caller is admitted eventually, and callers that left are forgotten', async () => {
  const one = fc.record({ connection: fc.nat(3), session: fc.nat(3), network: fc.nat(2), millis: fc.nat(4) })
  const property = fc.asyncProperty(
    fc.array(one, { maxLength: 60 }),
    fc.integer({ min: 1, max: 12 }),
    fc.constantFrom(50, 75, 90),
    async (callers, places, percent) => {
      const shares = new Shares({ places, percent })
      const connections = Array.from({ length: 4 }, () => ({}))
      let working = 0
      await Promise.all(
        callers.map(({ connection, session, network, millis }) =>
          shares.run(caller(`s${session}`, `n${network}`, connections[connection]), null, async () => {
            working++
            await sleep(millis)
            working--
          }),
        ),
      )
      assert.deepEqual([working, shares.waiting, shares.counted], [0, 0, 0])
      // All places are free again.
      const alone = caller('alone')
      const fresh = new Shares({ places, percent })
      assert.equal(fill(shares, () => alone).length, fill(fresh, () => alone).length)
    },
  )
  await fc.assert(property, { numRuns: 60 })
})
