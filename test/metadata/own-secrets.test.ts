// Metadata can refer to variables of the server, except to its own secrets, which editors of metadata could otherwise
// read.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startOther } from '../auth/other-server.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const secret = 'not-to-be-told'

test('metadata cannot read variables that hold secrets of the server', async (t) => {
  process.env['SERVICE_GRAPHQL_ADMIN_SECRET'] = secret
  process.env['SERVICE_GRAPHQL_JWT_SECRET'] = secret
  process.env['SERVICE_GRAPHQL_HOOK_PATH'] = 'hook'
  // URLs of test databases contain a password or need none.
  process.env['PGPASSWORD'] = secret
  process.env['OTEL_EXPORTER_OTLP_HEADERS'] = `authorization=${secret}`
  t.after(() => {
    for (const name of ['PGPASSWORD', 'OTEL_EXPORTER_OTLP_HEADERS']) delete process.env[name]
    for (const name of ['ADMIN_SECRET', 'JWT_SECRET', 'HOOK_PATH']) delete process.env[`SERVICE_GRAPHQL_${name}`]
  })
  const hook = await startOther(t, () => ({}))
  const { op, opError, sql } = await startTrellis(t, { sql: 'create table town (id int primary key)' })
  await op('track_table', 'town')
  const refusals = [
    ['add_remote_schema', { name: 'other', definition: { url_from_env: 'SERVICE_GRAPHQL_JWT_SECRET' } }],
    ['add_remote_schema', { name: 'other', definition: { url: '{{SERVICE_GRAPHQL_ADMIN_SECRET}}' } }],
    ['add_remote_schema', { name: 'other', definition: { url_from_env: 'OTEL_EXPORTER_OTLP_HEADERS' } }],
    ['add_remote_schema', { name: 'other', definition: { url_from_env: 'PGPASSWORD' } }],
    [
      'create_event_trigger',
      { name: 'told', table: 'town', webhook_from_env: 'SERVICE_GRAPHQL_JWT_SECRET', insert: { columns: '*' } },
    ],
    [
      'create_cron_trigger',
      {
        name: 'tick',
        webhook: `${hook.url}/{{SERVICE_GRAPHQL_JWT_SECRET}}`,
        schedule: '* * * * *',
        include_in_metadata: true,
      },
    ],
  ] as const
  for (const [type, args] of refusals) {
    const { status, body } = await opError(type, args)
    assert.equal(status, 400)
    assert.match(JSON.stringify(body), /environment variables? .*not (?:set|found)/)
    assert.doesNotMatch(JSON.stringify(body), new RegExp(secret))
  }
  const once = (webhook: string) => op('create_scheduled_event', { webhook, schedule_at: new Date().toISOString() })
  await once(`${hook.url}/{{SERVICE_GRAPHQL_JWT_SECRET}}`)
  await once(`${hook.url}/{{SERVICE_GRAPHQL_HOOK_PATH}}`)
  const ended = `select from trellis.hdb_scheduled_events where status in ('error', 'delivered')`
  await eventually(async () => (await sql(ended)).length === 2)
  assert.deepEqual(
    hook.received.map(({ path }) => path),
    ['/hook'],
  )
})
