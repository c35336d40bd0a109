// The version that clients are told, by which tools made for v1.3 decide whether, and what, they may ask.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { version } from '../../core/engine/version.ts'
import { startTrellis } from '../support/trellis.ts'

for (const [dialect, told] of [
  ['trellis', version],
  ['hasura', 'v1.3.2'],
] as const) {
  test(`the dialect ${dialect} tells ${told}`, async (t) => {
    const { request } = await startTrellis(t, { settings: { dialect } })
    const answer = await request('/v1/version')
    assert.deepEqual([answer.status, answer.body], [200, { version: told }])
    const report = await request('/v1alpha1/config')
    assert.equal((report.body as { version: string }).version, told)
  })
}
