import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/waiting.ts'
import { startShop } from './shop.ts'

test('deliveries are measured: waiting events and outcomes', async (t) => {
  const shop = await startShop(t, {
    answer: ({ body }) => ({ status: JSON.parse(body).event.data.new.id > 2 ? 500 : 200 }),
    settings: { enabledApis: ['metadata', 'metrics'] },
  })
  await shop.trigger({ update: null, delete: null, retry_conf: { num_retries: 1, interval_sec: 600 } })
  await shop.sql('insert into orders (id) select generate_series(1, 5)')
  const metrics = async () => {
    const { text } = await shop.request('/v1/metrics')
    return text.split('\n')
  }
  const lines = await eventually(async () => {
    const found = await metrics()
    return found.includes('service_event_invocations_total{status="failed",trigger_name="order"} 3') && found
  })
  for (const line of [
    'service_event_invocations_total{status="success",trigger_name="order"} 2',
    'service_event_processed_total{status="success",trigger_name="order"} 2',
    'service_event_queue_time_seconds_count 5',
    'service_event_webhook_processing_time_seconds_count 5',
    'service_event_trigger_http_workers{trigger_name="order"} 0',
  ]) {
    assert.ok(lines.includes(line), line)
  }
  await eventually(async () => (await metrics()).includes('service_event_pending{trigger_name="order"} 3'))
})
