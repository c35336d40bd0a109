// Which connections writes take, in a world whose time is made up.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Route, WriteRouting } from '../../core/database/write-routing.ts'

interface World {
  /** Writes that are under way at once. */
  readonly atOnce: number
  /** Milliseconds between two answers, after so many of them. */
  readonly millis: (route: Route, answered: number) => number
}

/** The share of each thousand of writes that took connections of their own. */
function sharesOfOwn(world: World, thousands: number): number[] {
  let now = 0
  const routing = new WriteRouting(() => now)
  const underWay: Route[] = Array.from({ length: world.atOnce }, () => routing.begin())
  return Array.from({ length: thousands }, (_, thousand) => {
    let own = 0
    for (let i = 0; i < 1000; i++) {
      const route = underWay.shift()!
      if (route === 'own') own++
      now += world.millis(route, thousand * 1000 + i)
      routing.end()
      underWay.push(routing.begin())
    }
    return own / 1000
  })
}

const mean = (shares: readonly number[]) => shares.reduce((sum, share) => sum + share, 0) / shares.length

test('writes share where that is quicker, but for trials', () => {
  const shares = sharesOfOwn({ atOnce: 16, millis: (route) => (route === 'shared' ? 0.15 : 0.2) }, 200)
  assert.ok(mean(shares) > 0 && mean(shares) < 0.03, String(mean(shares)))
})

test('they have connections of their own where those are quicker, soon and but for trials', () => {
  const shares = sharesOfOwn({ atOnce: 16, millis: (route) => (route === 'shared' ? 0.5 : 0.2) }, 200)
  assert.ok(mean(shares.slice(2)) > 0.97, String(mean(shares.slice(2))))
})

test('what changes is noticed', () => {
  const millis = (route: Route, answered: number) => ((route === 'shared') === answered < 100_000 ? 0.15 : 0.3)
  const shares = sharesOfOwn({ atOnce: 16, millis }, 200)
  assert.ok(mean(shares.slice(50, 100)) < 0.03)
  assert.ok(mean(shares.slice(150)) > 0.97)
})

test('a server that stands still now and then misleads nobody', () => {
  const stall = (answered: number) => (answered % 700 === 0 ? 300 : 0)
  const millis = (route: Route, answered: number) => (route === 'shared' ? 0.15 : 0.2) + stall(answered)
  assert.ok(mean(sharesOfOwn({ atOnce: 16, millis }, 200)) < 0.1)
})

test('where few are under way at once nothing is tried', () => {
  const shares = sharesOfOwn({ atOnce: 3, millis: (route) => (route === 'shared' ? 0.5 : 0.2) }, 50)
  assert.equal(mean(shares), 0)
})
