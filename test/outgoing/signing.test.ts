import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { signatureHeaders, signingKey } from '../../sdk/services.ts'

const secretOf = (bytes: number) => `whsec_${randomBytes(bytes).toString('base64')}`

test('the library of the standard accepts a signed request with each of the secrets', () => {
  const secrets = [secretOf(32), secretOf(24)]
  const keys = secrets.map((secret) => signingKey(secret)!)
  const body = Buffer.from('{"text":"ä"}')
  const headers = signatureHeaders({ id: 'msg_1', at: new Date(), body }, keys)
  for (const secret of secrets) assert.deepEqual(new Webhook(secret).verify(body, headers), { text: 'ä' })
  assert.throws(() => new Webhook(secretOf(32)).verify(body, headers))
  assert.throws(() => new Webhook(secrets[0]!).verify('{"text":"b"}', headers))
})

test('an invalid secret gives no key', () => {
  assert.equal(signingKey(secretOf(32).slice('whsec_'.length))?.length, 32)
  for (const wrong of ['', 'whsec_', 'whsec_%%%', secretOf(23), secretOf(65)])
    assert.equal(signingKey(wrong), null, wrong)
})
