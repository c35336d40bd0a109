// The names of inconsistent objects of each type in version 2, and definitions that differ from v1.3.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCrm } from '../remote-schemas/crm.ts'
import { startTrellis } from '../support/trellis.ts'

const sql = 'create table writer (id int primary key, name text)'

interface Listed {
  readonly type: string
  readonly name: string
  readonly definition: unknown
}

test('inconsistent objects of each type are named', async (t) => {
  const crm = await startCrm(t)
  const settings = { graphqlInterface: '2', dialect: 'hasura', enableRemoteSchemaPermissions: true } as const
  const trellis = await startTrellis(t, { sql, settings })
  const broken = { id: { _gt: { nothing: 1 } } }
  const byRemote = {
    to_remote_schema: {
      remote_schema: 'far',
      lhs_fields: ['id'],
      remote_field: { user: { arguments: { id: '$id' } } },
    },
  }
  const toTable = {
    to_source: { relationship_type: 'object', source: 'default', table: 'gone', field_mapping: { id: 'id' } },
  }
  const metadata = {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables: [
          {
            table: { schema: 'public', name: 'writer' },
            remote_relationships: [{ name: 'away', definition: byRemote }],
            select_permissions: [{ role: 'reader', permission: { columns: ['id'], filter: broken } }],
          },
        ],
        functions: [{ function: { schema: 'public', name: 'gone' } }],
      },
    ],
    remote_schemas: [
      {
        name: 'crm',
        definition: { url: crm.url },
        permissions: [{ role: 'reader', definition: { schema: 'type Query { nothing: Int }' } }],
        remote_relationships: [{ type_name: 'User', relationships: [{ name: 'written', definition: toTable }] }],
      },
    ],
    actions: [{ name: 'send', definition: { type: 'query', output_type: 'Nothing', handler: 'http://127.0.0.1:1' } }],
    custom_types: { objects: [{ name: 'Odd', fields: [{ name: 'a', type: 'Nowhere' }] }] },
    inherited_roles: [{ role_name: 'both', role_set: ['both', 'reader'] }],
  }
  const args = { metadata, allow_inconsistent_metadata: true }
  const { body } = await trellis.request('/v1/metadata', { body: { type: 'replace_metadata', version: 2, args } })
  const listed = Object(body).inconsistent_objects as readonly Listed[]
  assert.deepEqual(listed?.map(({ name }) => name).sort(), [
    'action send',
    'custom_types custom_types',
    'function gone in source default',
    'inherited_role inherited role both',
    'remote_relationship away in table writer in source default',
    'remote_schema_permission reader permission in remote schema crm',
    'remote_schema_remote_relationship written on type User in remote schema crm',
    'select_permission reader in table writer in source default',
  ])
  const away = listed.find(({ type }) => type === 'remote_relationship')
  assert.deepEqual(away?.definition, {
    table: { schema: 'public', name: 'writer' },
    name: 'away',
    definition: byRemote,
    source: 'default',
  })
})

test('the type of an answer that an action names may be a scalar, as its refusal says', async (t) => {
  const trellis = await startTrellis(t, { sql, settings: { graphqlInterface: '2' } })
  const definition = { type: 'query', output_type: 'Nothing', handler: 'http://127.0.0.1:1' }
  const envelope = { type: 'create_action', args: { name: 'send', definition } }
  const { body } = await trellis.request<{ error: string }>('/v1/metadata', { body: envelope })
  const fault = 'the type: "Nothing" is not an object or scalar type defined in custom types'
  assert.equal(body.error, `Inconsistent object: in action "send"; ${fault}`)
})
