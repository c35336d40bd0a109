import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageFaults, readPage } from '../../scripts/error-codes.ts'

test('docs/errors.md explains every code of errors, and lists their statuses and messages', () => {
  assert.deepEqual(pageFaults(readPage()), [])
})
