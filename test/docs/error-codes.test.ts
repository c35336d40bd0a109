import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageFaults, readPage, statusesIn, usedCodes } from './error-codes.ts'

test('docs/errors.md explains every code of errors, with its statuses', () => {
  const page = readPage()
  assert.deepEqual(pageFaults(page), [], 'add the words, then run node test/docs/error-codes.ts')
  const statuses = [...usedCodes()].map(([code, used]) => [code, [...used.statuses].sort((a, b) => a - b).join(', ')])
  assert.deepEqual(statusesIn(page), Object.fromEntries(statuses), 'run node test/docs/error-codes.ts')
})
