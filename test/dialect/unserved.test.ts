// Keys of later engines that this server does not serve are kept, and listed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const settings = { dialect: 'hasura' } as const

const backend_configs = { dataconnector: { athena: { uri: 'http://localhost' } } }
const api_limits = { disabled: false, depth_limit: { global: 5, per_role: {} } }
const graphql_schema_introspection = { disabled_for_roles: ['guest'] }

/** The plugins that serve the restricting keys, and those that need them. */
const without = ['limits', 'rate-limit', 'introspection', 'mcp', 'federation']

const harmless = { version: 2, tables: [], backend_configs }

test('configurations of other backends are kept, exported, listed, and dropped', async (t) => {
  const { op, database } = await startTrellis(t, { settings })
  await op('replace_metadata', harmless)
  assert.deepEqual(await op('export_metadata', {}), harmless)
  const inconsistent_objects = [
    { type: 'backend_configs', definition: backend_configs, reason: '"backend_configs" is not served' },
  ]
  assert.deepEqual(await op('get_inconsistent_metadata', {}), { is_consistent: false, inconsistent_objects })
  const again = await startTrellis(t, { settings, database })
  assert.deepEqual(await again.op('export_metadata', {}), harmless)
  await again.op('drop_inconsistent_metadata', {})
  assert.deepEqual(await again.op('export_metadata', {}), { version: 2, tables: [] })
  assert.deepEqual(await again.op('get_inconsistent_metadata', {}), { is_consistent: true, inconsistent_objects: [] })
})

test('limits and roles without introspection are refused, unless inconsistent metadata are allowed', async (t) => {
  const { op, opError } = await startTrellis(t, { settings, without })
  await op('replace_metadata', harmless)
  for (const [type, value] of Object.entries({ api_limits, graphql_schema_introspection })) {
    const metadata = { ...harmless, [type]: value }
    const refused = {
      path: '$.args',
      error: 'cannot continue due to inconsistent metadata',
      code: 'unexpected',
      internal: [{ type, definition: value, reason: `"${type}" is not served` }],
    }
    assert.deepEqual(await opError('replace_metadata', metadata), { status: 400, body: refused })
    assert.deepEqual(await opError('replace_metadata', { metadata }, { version: 2 }), { status: 400, body: refused })
    assert.deepEqual(await op('export_metadata', {}), harmless)
    const report = await op<{ inconsistent_objects: { type: string }[] }>(
      'replace_metadata',
      { allow_inconsistent_metadata: true, metadata },
      { version: 2 },
    )
    assert.ok(report.inconsistent_objects.some((each) => each.type === type))
    assert.deepEqual(await op('export_metadata', {}), metadata)
    await op('replace_metadata', harmless)
  }
})

test('keys without content are accepted and dropped', async (t) => {
  const { op } = await startTrellis(t, { settings })
  const nothing = {
    rest_endpoints: [],
    api_limits: { disabled: false },
    inherited_roles: null,
    graphql_schema_introspection: { disabled_for_roles: [] },
  }
  await op('replace_metadata', { version: 2, tables: [], ...nothing })
  assert.deepEqual(await op('export_metadata', {}), { version: 2, tables: [] })
  assert.deepEqual(await op('get_inconsistent_metadata', {}), { is_consistent: true, inconsistent_objects: [] })
})

test('the default dialect keeps and refuses the same keys', async (t) => {
  const { op, opError } = await startTrellis(t, { without })
  await op('replace_metadata', harmless)
  assert.deepEqual(await op('export_metadata', {}), harmless)
  for (const [key, value] of Object.entries({ api_limits, graphql_schema_introspection })) {
    const { status, body } = await opError('replace_metadata', { version: 2, tables: [], [key]: value })
    const { internal } = body as { internal: unknown }
    assert.equal(status, 400)
    assert.deepEqual(internal, [{ type: key, definition: value, reason: `"${key}" is not served` }])
  }
  const body = { path: '$.colour', error: 'unexpected key "colour"', code: 'parse-failed' }
  assert.deepEqual(await opError('replace_metadata', { version: 2, tables: [], colour: 1 }), { status: 400, body })
})
