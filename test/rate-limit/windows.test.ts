import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientNetwork } from '../../core/http/route/client-network.ts'
import { SlidingWindows } from '../../plugins/rate-limit/windows.ts'
import fc from '../support/fast-check.ts'

/** Counts requests that the limit permits, and returns null; otherwise returns the milliseconds to wait. */
const taking =
  (windows: SlidingWindows) =>
  (client: string, limit: number, weight = 1): number | null => {
    const wait = windows.waitFor(client, limit, weight)
    if (wait > 0) return wait
    windows.add(client, weight)
    return null
  }

/** Windows on a clock that the test sets, in seconds. */
function clock() {
  const at = { seconds: 0 }
  return { at, take: taking(new SlidingWindows(() => at.seconds * 1000)) }
}

test('as many requests as the limit pass within a minute', () => {
  const { take } = clock()
  const waits = Array.from({ length: 4 }, () => take('a', 3))
  assert.deepEqual(waits, [null, null, null, 80_000])
  assert.equal(take('b', 3), null)
})

test('the window slides: capacity returns gradually', () => {
  const { at, take } = clock()
  for (let i = 0; i < 60; i++) assert.equal(take('a', 60), null)
  at.seconds = 59
  assert.equal(take('a', 60), 2000)
  at.seconds = 61
  assert.equal(take('a', 60), null)
  assert.equal(take('a', 60), 1000)
  at.seconds = 90
  assert.equal(Array.from({ length: 60 }, () => take('a', 60)).filter((wait) => wait === null).length, 29)
  at.seconds = 240
  assert.equal(take('a', 60, 60), null)
})

test('a client that retries after the given time is admitted, but not earlier', () => {
  const request = fc.record({ pause: fc.integer({ min: 0, max: 40_000 }), weight: fc.integer({ min: 1, max: 5 }) })
  const property = fc.property(
    fc.array(request, { maxLength: 60 }),
    fc.integer({ min: 5, max: 20 }),
    (requests, limit) => {
      let now = 7 * 60_000
      const take = taking(new SlidingWindows(() => now))
      for (const { pause, weight } of requests) {
        now += pause
        const wait = take('a', limit, weight)
        if (wait === null) continue
        assert.ok(wait > 0 && wait <= 120_000, String(wait))
        const asked = now
        now = asked + Math.ceil(wait) - 2
        if (now > asked) assert.notEqual(take('a', limit, weight), null)
        now = asked + Math.ceil(wait)
        assert.equal(take('a', limit, weight), null)
      }
    },
  )
  fc.assert(property, { numRuns: 300 })
})

test('more simultaneous requests than the limit never pass', () => {
  const { take } = clock()
  assert.equal(take('a', 3, 4), 60_000)
  assert.equal(take('a', 3, 3), null)
})

test('with very many clients the most recent ones are remembered', () => {
  const { take } = clock()
  take('first', 1)
  for (let i = 0; i < 20_000; i++) take(`other ${i}`, 1)
  assert.equal(take('first', 1), null)
  assert.notEqual(take('other 19999', 1), null)
})

test('a client is identified by IPv4 address or IPv6 network, through trusted proxies only', () => {
  const network = (address: string, proxies = 0, forwarded?: string) =>
    clientNetwork({ address, headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } }, proxies)
  assert.equal(network('10.0.0.7'), '10.0.0.7')
  assert.equal(network('::ffff:10.0.0.7'), '10.0.0.7')
  assert.equal(network('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
  assert.equal(network('2001:DB8:0001:2::1'), '2001:db8:1:2::/64')
  assert.equal(network('::1'), '0:0:0:0::/64')
  assert.equal(network('fe80::1:2%eth0'), 'fe80:0:0:0::/64')
  assert.equal(network('10.0.0.7', 0, '1.1.1.1'), '10.0.0.7')
  assert.equal(network('10.0.0.7', 1, '6.6.6.6, 1.1.1.1'), '1.1.1.1')
  assert.equal(network('10.0.0.7', 2, '6.6.6.6, 1.1.1.1:80,10.0.0.9'), '1.1.1.1')
  assert.equal(network('10.0.0.7', 2, '[2001:db8::1]:99'), '2001:db8:0:0::/64')
  assert.equal(network('10.0.0.7', 1), '10.0.0.7')
  assert.equal(network('10.0.0.7', 1, 'nonsense'), 'nonsense')
  assert.equal(network('', 0), '')
})
