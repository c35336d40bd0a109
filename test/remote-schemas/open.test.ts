// Without permissions of remote schemas every role may use them; the server says so.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordingObserver } from '../http/server.ts'
import { startTrellis } from '../support/trellis.ts'
import { startWithCrm } from './crm.ts'

const sentence =
  'every role may use all of a remote schema, unless the server is started with --enable-remote-schema-permissions'

const secured = { adminSecret: 's3cret', unauthorizedRole: 'guest' }

test('the log of a start says that requests without credentials may use remote schemas', async (t) => {
  const { trellis } = await startWithCrm(t)
  const start = async (settings: object) => {
    const observe = recordingObserver()
    await startTrellis(t, { database: trellis.database, observe, settings: { ...secured, ...settings } })
    return observe.entries.flatMap(({ type, detail }) =>
      JSON.stringify(detail).includes(sentence) ? [{ type, detail }] : [],
    )
  }
  const message = `requests without credentials may use remote schemas: ${sentence}`
  const detail = { message, info: { role: 'guest', remote_schemas: ['crm'] } }
  assert.deepEqual(await start({}), [{ type: 'metadata', detail }])
  assert.deepEqual(await start({ enableRemoteSchemaPermissions: true }), [])
  assert.deepEqual(await start({ unauthorizedRole: null }), [])
})

test('add_remote_schema warns that the schema is open, unless permissions are enabled', async (t) => {
  const { crm, trellis } = await startWithCrm(t)
  const args = { name: 'other', definition: { url: crm.url, customization: { root_fields_namespace: 'other' } } }
  const warning = { type: 'remote_schema', name: 'other', code: 'no-permissions', message: sentence }
  const answer = await trellis.op('add_remote_schema', args)
  assert.deepEqual(answer, { message: 'success', warnings: [warning] })
  const closed = await startTrellis(t, {
    database: trellis.database,
    settings: { enableRemoteSchemaPermissions: true },
  })
  await closed.op('remove_remote_schema', { name: 'other' })
  assert.deepEqual(await closed.op('add_remote_schema', args), { message: 'success' })
})
