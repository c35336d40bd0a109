import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newRequestId } from '../../core/http/request-ids.ts'

test('request ids are unique random UUIDs', () => {
  const ids = Array.from({ length: 10_000 }, newRequestId)
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(new Set(ids).size, ids.length)
  // Each digit takes all values, except those of version and variant.
  for (const place of [0, 7, 9, 16, 20, 35]) assert.equal(new Set(ids.map((id) => id[place])).size, 16)
})
