import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EffectiveLimits } from '../../plugins/limits/effective.ts'
import { timeLimit } from '../../plugins/limits/limits.ts'
import type { EndableWork } from '../../sdk/services.ts'

const session = { role: 'clerk', variables: {}, backendOnly: false }
const limited = timeLimit(
  new EffectiveLimits({ time_limit: { global: 0.001, per_role: { guest: 3600 } } }, () => undefined),
)

test('work with a time limit can still be aborted by its own signal', async () => {
  const given = new AbortController()
  const work: EndableWork = { session: { ...session, role: 'guest' }, signal: given.signal }
  await limited(work, async () => {
    assert.equal(work.signal?.aborted, false)
    given.abort(new Error('gone'))
    assert.equal(work.signal?.aborted, true)
    assert.equal(work.signal?.reason.message, 'gone')
  })
})

test('the time limit aborts work that has a signal of its own', async () => {
  const work: EndableWork = { session, signal: new AbortController().signal }
  await limited(work, async () => {
    await new Promise((ended) => work.signal?.addEventListener('abort', ended))
    assert.equal(work.signal?.reason.code, 'time-limit-exceeded')
  })
})
