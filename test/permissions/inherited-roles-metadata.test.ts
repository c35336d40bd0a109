// Inherited roles in the metadata: refusals, objects that are not tables, and documents.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'
import { inherits, startInheriting } from './inheriting.ts'

test('inherited roles in the metadata', async (t) => {
  const { trellis, data, refusal } = await startInheriting(t)
  const { op, opError, sql } = trellis

  await t.test('impossible roles are refused', async () => {
    const refused: [string, object, string, string][] = [
      [
        'add_inherited_role',
        { role_name: 'both', role_set: ['reader'] },
        'already-exists',
        'the inherited role "both" already exists',
      ],
      [
        'add_inherited_role',
        { role_name: 'loop', role_set: ['reader', 'loop'] },
        'constraint-violation',
        'found cycle(s) in roles: ["loop"]',
      ],
      [
        'add_inherited_role',
        { role_name: 'reader', role_set: ['nested'] },
        'constraint-violation',
        'found cycle(s) in roles: ["reader","nested","both"]',
      ],
      [
        'add_inherited_role',
        { role_name: 'admin', role_set: ['reader'] },
        'constraint-violation',
        'the role "admin" has all permissions and cannot inherit any',
      ],
      [
        'add_inherited_role',
        { role_name: 'boss', role_set: ['admin'] },
        'constraint-violation',
        'the permissions of the role "admin" cannot be inherited',
      ],
      ['drop_inherited_role', { role_name: 'nobody' }, 'not-exists', 'the inherited role "nobody" does not exist'],
    ]
    const before = await op('export_metadata', {})
    for (const [type, args, code, error] of refused) {
      const { status, body } = await opError(type, args)
      assert.deepEqual([status, body], [400, { path: '$.args', error, code }])
    }
    assert.deepEqual(await op('export_metadata', {}), before)
    const many = Array.from({ length: 301 }, (_, i) => `role ${i}`)
    assert.equal((await opError('add_inherited_role', { role_name: 'many', role_set: many })).status, 400)
  })

  await t.test('permissions of remote schemas are inherited if they agree', async () => {
    const grant = (remote_schema: string, role: string, type: string) => ({
      type: 'add_remote_schema_permissions',
      args: {
        remote_schema,
        role,
        definition: {
          schema: `type Query { ${remote_schema}: Who echo_${remote_schema}(text: String): String } type Who { ${type} }`,
        },
      },
    })
    await op('bulk', [
      grant('first', 'reader', 'role: String'),
      grant('first', 'owner', 'role:   String'),
      inherits('remote', 'reader', 'owner'),
    ])
    assert.deepEqual(await data('remote', 'ann', '{ first { role } }'), { first: { role: 'remote' } })
    assert.match(await refusal('remote', '{ first { secret } }'), /secret/)
    // A join sends no value that the role does not see to the other server.
    const remote_field = { echo_first: { arguments: { text: '$secret' } } }
    const joined = { name: 'echo', table: 'book', service_fields: ['secret'], remote_schema: 'first', remote_field }
    await op('create_remote_relationship', joined)
    assert.deepEqual(
      await data('both', 'ann', '{ book(where: {id: {_in: [1, 3]}}, order_by: {id: asc}) { id echo } }'),
      {
        book: [
          { id: 1, echo: null },
          { id: 3, echo: 'secret 3' },
        ],
      },
    )
    await op('bulk', [
      ...['first', 'second']
        .map((name) => grant(name, 'whole', ''))
        .map(({ type, args }) => ({
          type,
          args: { ...args, definition: { schema: ' * ' } },
        })),
      inherits('seeing', 'whole', 'titles'),
    ])
    const all = await data('seeing', 'ann', '{ first { role secret } second { role } }')
    assert.deepEqual(all, { first: { role: 'seeing', secret: 'kept' }, second: { role: 'seeing' } })
    // A type that two remote schemas share shows no more of it than each parent may see.
    await op('bulk', [grant('second', 'owner', 'role: String')])
    assert.deepEqual(await data('remote', 'ann', '{ second { role } }'), { second: { role: 'remote' } })
    await op('bulk', [
      { type: 'drop_remote_schema_permissions', args: { remote_schema: 'second', role: 'owner' } },
      grant('second', 'librarian', 'secret: String'),
      inherits('types', 'reader', 'librarian'),
    ])
    assert.match(await refusal('types', '{ second { secret } }'), /second/)
    assert.deepEqual(await data('types', 'ann', '{ first { role } }'), { first: { role: 'types' } })
    await op('bulk', [grant('first', 'speaker', 'secret: String'), inherits('torn', 'reader', 'speaker')])
    const reason = "Could not inherit permission for the role 'torn' for the entity: 'remote schema: first'"
    const listed = {
      type: 'inherited role permission inconsistency',
      name: 'torn',
      reason,
      entity: { remote_schema: 'first' },
    }
    assert.deepEqual(await op('get_inconsistent_metadata', {}), [listed])
    assert.match(await refusal('torn', '{ first { role } }'), /first/)
    await op('drop_inherited_role', { role_name: 'torn' })
  })

  await t.test('actions and functions can be called if any parent may call them', async () => {
    const handler = 'http://127.0.0.1:9/'
    const configuration = { exposed_as: 'mutation' }
    await op('bulk', [
      inherits('apart', 'titles', 'librarian'),
      { type: 'set_custom_types', args: { objects: [{ name: 'Done', fields: [{ name: 'ok', type: 'Boolean!' }] }] } },
      {
        type: 'create_action',
        args: { name: 'ship', definition: { kind: 'asynchronous', handler, output_type: 'Done' } },
      },
      { type: 'create_action_permission', args: { action: 'ship', role: 'owner' } },
      { type: 'track_function', version: 2, args: { function: 'bought_books', configuration } },
      { type: 'create_function_permission', args: { function: 'bought_books', role: 'reader' } },
    ])
    const call = 'mutation { ship bought_books(where: {secret: {_is_null: false}}) { id secret } }'
    const { ship, bought_books } = await data('both', 'ann', call)
    assert.match(String(ship), /^[0-9a-f-]{36}$/)
    assert.deepEqual(bought_books, [
      { id: 3, secret: 'secret 3' },
      { id: 6, secret: 'secret 6' },
    ])
    assert.match(await refusal('apart', 'mutation { ship }'), /ship|mutation/)
  })

  await t.test('documents hold inherited roles, in both formats, and replace them', async () => {
    const exported = await op<{ inherited_roles: object[] }>('export_metadata', {})
    const { inherited_roles } = exported
    assert.deepEqual(inherited_roles[0], { role_name: 'apart', role_set: ['titles', 'librarian'] })
    const looped = [...inherited_roles, { role_name: 'x', role_set: ['y'] }, { role_name: 'y', role_set: ['x'] }]
    const { body } = await opError('replace_metadata', { ...exported, inherited_roles: looped })
    assert.match(JSON.stringify(body), /found cycle\(s\) in roles/)
    await op(
      'replace_metadata',
      { allow_inconsistent_metadata: true, metadata: { ...exported, inherited_roles: looped } },
      { version: 2 },
    )
    const listed = await op<{ type: string; reason: string }[]>('get_inconsistent_metadata', {})
    assert.deepEqual(
      listed.map(({ type, reason }) => [type, reason]),
      [
        ['inherited_role', 'found cycle(s) in roles: ["x","y"]'],
        ['inherited_role', 'found cycle(s) in roles: ["y","x"]'],
      ],
    )
    await op('drop_inconsistent_metadata', {})
    assert.deepEqual(await op('export_metadata', {}), exported)
    await op('drop_inherited_role', { role_name: 'nested' })
    assert.match(await refusal('nested', '{ book { id } }'), /book/)
    await op('clear_metadata', {})
    await op('replace_metadata', exported)
  })

  await t.test('stored roles that were not served before are served', async (t) => {
    await op('clear_metadata', {})
    const { sql: _, ...rest } = trellis
    const { database } = rest
    const kept = { inherited_roles: [{ role_name: 'both', role_set: ['a', 'b', 'a'] }], backend_configs: { x: 1 } }
    await sql(`insert into trellis.metadata_entry values ('unserved', '', '${JSON.stringify(kept)}')`)
    const again = await startTrellis(t, { database })
    assert.deepEqual(await again.op('export_metadata', {}), {
      version: 2,
      tables: [],
      inherited_roles: [{ role_name: 'both', role_set: ['a', 'b'] }],
      backend_configs: { x: 1 },
    })
  })
})
