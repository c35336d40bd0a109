// Rules for the webhooks of all kinds of events: signatures, and the addresses that may be called.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { type Shop, startShop } from '../event-triggers/shop.ts'
import { spawnTrellis } from '../support/process.ts'
import { eventually } from '../support/waiting.ts'

/** Makes an event of each kind due: of an event trigger, a cron trigger and one-off. */
async function oneOfEach({ op, sql, trigger, hook }: Shop): Promise<void> {
  await trigger()
  const cron = { name: 'tick', webhook: hook.url, schedule: '0 0 1 1 *', include_in_metadata: true }
  await op('create_cron_trigger', cron)
  await sql(`insert into orders (id) values (1);
    insert into trellis.hdb_cron_events (trigger_name, scheduled_time) values ('tick', now()); notify trellis_delivery, 'cron'`)
  await op('create_scheduled_event', { webhook: hook.url, schedule_at: new Date().toISOString() })
}

const secret = () => `whsec_${randomBytes(32).toString('base64')}`

test('deliveries of all kinds are signed with each secret, under the id of the event', async (t) => {
  const secrets = [secret(), secret()]
  const shop = await startShop(t, {
    settings: { webhookSigningSecrets: secrets.join(' ') },
    answer: ({ headers }) => {
      const attempts = shop.hook.received.filter((each) => each.headers['webhook-id'] === headers['webhook-id'])
      return { status: attempts.length === 1 ? 500 : 200, headers: { 'Retry-After': '1' } }
    },
  })
  await oneOfEach(shop)
  const received = await eventually(() => shop.hook.received.length === 6 && shop.hook.received)
  for (const { body, headers } of received) {
    for (const each of secrets) {
      assert.deepEqual(new Webhook(each).verify(body, headers as Record<string, string>), JSON.parse(body))
    }
    assert.equal(headers['webhook-id'], JSON.parse(body).id)
  }
  assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 3)
})

test('an invalid signing secret ends the start', async (t) => {
  const server = spawnTrellis(t, ['serve', '--webhook-signing-secrets', 'whsec_short'])
  const { code, stderr, stdout } = await server.ended
  assert.equal(code, 1)
  assert.match(stderr + stdout, /Only expecting secrets of 24 to 64 bytes in base64/)
  assert.doesNotMatch(stderr + stdout, /whsec_short/)
})

test('deliveries of all kinds avoid private networks if configured', async (t) => {
  const shop = await startShop(t, { settings: { egress: 'deny-private' } })
  await oneOfEach(shop)
  const logs = ['event_invocation_logs', 'hdb_cron_event_invocation_logs', 'hdb_scheduled_event_invocation_logs']
  const attempts = logs.map((log) => `select status, response #>> '{data,message}' as message from trellis.${log}`)
  const found = await eventually(async () => {
    const rows = await shop.sql(attempts.join(' union all '))
    return rows.length === 3 && rows
  })
  const message = 'requests to 127.0.0.1 are not allowed: it is in a private network'
  assert.deepEqual(
    found,
    [1, 2, 3].map(() => ({ status: 1000, message })),
  )
  assert.equal(shop.hook.received.length, 0)
})
