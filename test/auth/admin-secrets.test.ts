import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Auth } from '../../core/auth/auth.ts'
import { defaultSettings } from '../../core/engine/options.ts'
import { dialects } from '../../core/names/dialect.ts'
import { refused } from './tokens.ts'

const guardedBy = (adminSecret: string) => new Auth(defaultSettings({ adminSecret }), dialects.trellis)
const invalid = 'invalid x-service-admin-secret/x-service-access-key'

test('each of several secrets is accepted, and no other text', async () => {
  const auth = guardedBy('["new", "ältere"]')
  for (const secret of ['new', Buffer.from('ältere').toString('latin1')]) {
    assert.equal((await auth.authenticate({ 'x-service-admin-secret': secret })).role, 'admin')
    assert.equal((await auth.authenticate({ 'x-service-access-key': secret })).role, 'admin')
  }
  for (const secret of ['', 'New', 'new,ältere', '["new", "ältere"]', '"new"']) {
    await refused(() => auth.authenticate({ 'x-service-admin-secret': secret }), 401, 'access-denied', invalid)
  }
})

test('a secret may look like a list without being one', async () => {
  const auth = guardedBy('[sesame]')
  assert.equal((await auth.authenticate({ 'x-service-admin-secret': '[sesame]' })).role, 'admin')
})

test('an empty secret or an empty list is refused', () => {
  for (const secret of ['', '[]', '[""]']) assert.throws(() => guardedBy(secret), /Only expecting a secret/)
})
