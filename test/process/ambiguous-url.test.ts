// URLs of a database whose password was not percent-encoded: refused with the way out, and never printed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseUrlRefusal } from '../../core/database/options.ts'
import { redactedUrl } from '../../core/options/redaction.ts'

for (const url of [
  'postgres://postgres:p@ss/w#rd@host/db',
  'postgres://u:1/2@host/db',
  'postgres://u:1?2@host/db',
  'postgres://u:1#2@host/db',
  'postgres://u:a,b/c@host/db',
]) {
  test(`${url} is refused, and nothing of it is printed`, () => {
    assert.match(databaseUrlRefusal(url) ?? '', /percent-encoded/)
    assert.equal(redactedUrl(url), '<redacted>')
  })
}

test('a URL that can be read in one way is taken, and printed without its password', () => {
  const url = 'postgres://u:p%40ss%2Fw%23rd@host/db'
  assert.equal(databaseUrlRefusal(url), null)
  assert.equal(redactedUrl(url), 'postgres://u:redacted@host/db')
})

test('a parameter may hold an @, and such a URL is not printed', () => {
  const url = 'postgres://host/db?user=me@server&password=secret'
  assert.equal(databaseUrlRefusal(url), null)
  assert.equal(redactedUrl(url), '<redacted>')
})
