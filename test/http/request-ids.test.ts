import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newRequestId } from '../../core/http/request-ids.ts'

test('requests get UUIDs of random bits, none of them twice', () => {
  const ids = Array.from({ length: 10_000 }, newRequestId)
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(new Set(ids).size, ids.length)
  // Each digit but those that say which kind it is takes all of its values.
  for (const place of [0, 7, 9, 16, 20, 35]) assert.equal(new Set(ids.map((id) => id[place])).size, 16)
})
