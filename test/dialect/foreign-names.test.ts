// Names of the other dialect, where they would be taken for something else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { macKey, namespace, sign } from '../auth/tokens.ts'
import { startCrm } from '../remote-schemas/crm.ts'
import { openSocket } from '../subscriptions/clients.ts'
import { startLibrary } from '../support/library.ts'
import { startTrellis } from '../support/trellis.ts'

const sides = [
  { dialect: 'trellis', own: 'x-service-', foreign: 'x-hasura-', foreignDialect: 'hasura' },
  { dialect: 'hasura', own: 'x-hasura-', foreign: 'x-service-', foreignDialect: 'trellis' },
] as const

const refusalOf = (text: string, own: string) =>
  `"${text}" is a session variable of the other dialect; here their names begin with "${own}"`

for (const { dialect, own, foreign, foreignDialect } of sides) {
  const settings = { dialect }
  const hint = `only servers with --dialect ${foreignDialect} use names that begin with "${foreign}"`
  const helped = dialect === 'trellis' ? { hint } : {}

  test(`operands in the names of ${foreign} are refused by a server of ${own}`, async (t) => {
    const { op, opError } = await startLibrary(t, { settings })
    const name = `${foreign.toUpperCase()}User-Email`
    const expressions = [
      { title: { _neq: name } },
      { _not: { publisher: { name: { _eq: name } } } },
      { title: { _in: name } },
      { _exists: { _table: 'publisher', _where: { name: { _like: name } } } },
    ]
    for (const filter of expressions) {
      const args = { table: 'book', role: 'reader', permission: { columns: ['id'], filter } }
      const { status, body } = await opError('create_select_permission', args)
      const { error } = body as { error: string }
      assert.equal(status, 400)
      assert.ok(error.includes(refusalOf(name, own)), error)
    }
    const preset = await opError('create_insert_permission', {
      ...{ table: 'book', role: 'reader' },
      permission: { check: {}, set: { title: name } },
    })
    assert.ok(JSON.stringify(preset.body).includes(JSON.stringify(refusalOf(name, own)).slice(1, -1)))
    const selected = await opError('select', { table: 'book', columns: ['id'], where: { title: name } })
    assert.deepEqual(
      [selected.status, (selected.body as { error: string }).error, (selected.body as { hint?: string }).hint],
      [400, refusalOf(name, own), dialect === 'trellis' ? hint : undefined],
    )
    // GraphQL takes a text that begins so by chance: there, texts are only texts.
    assert.deepEqual(await op('select', { table: 'book', columns: ['id'], where: { title: 'Dawn' } }), [{ id: 1 }])
    const { tables } = await op<{ tables: Record<string, unknown>[] }>('export_metadata', {})
    assert.ok(tables.every((table) => !('select_permissions' in table)))
  })

  test(`metadata with operands of ${foreign} start a server of ${own}, and open nothing`, async (t) => {
    const { op, database } = await startLibrary(t, { settings })
    const filter = { title: { _neq: `${own}user-email` } }
    await op('create_select_permission', { table: 'book', role: 'reader', permission: { columns: ['id'], filter } })
    await op('run_sql', {
      sql: `update trellis.metadata_entry set entry = replace(entry::text, '${own}', '${foreign}')::json`,
    })
    const { op: again, graphql } = await startTrellis(t, { settings, database })
    const answer = await again<unknown>('get_inconsistent_metadata', {})
    const listed = (
      Array.isArray(answer) ? answer : (answer as { inconsistent_objects: unknown[] }).inconsistent_objects
    ) as {
      type: string
      reason: string
    }[]
    assert.deepEqual(
      listed.map(({ type }) => type),
      ['select_permission'],
    )
    assert.ok(listed[0]!.reason.includes(refusalOf(`${foreign}user-email`, own)), listed[0]!.reason)
    const { errors } = await graphql<{ errors: { message: string }[] }>('{ book { id } }', {}, { role: 'reader' })
    assert.equal(errors[0]!.message, `field "book" not found in type: 'query_root'`)
  })

  test(`requests with headers of ${foreign} alone are refused by a server of ${own}`, async (t) => {
    const { request } = await startTrellis(t, { settings })
    const query = { query: '{ __typename }' }
    const message = (name: string) => `"${name}" is a header of the other dialect; here their names begin with "${own}"`
    for (const name of ['role', 'user-id', 'admin-secret'].map((end) => `${foreign}${end}`)) {
      const asked = { headers: { [name]: 'customer' } }
      const { status, body } = await request('/v1alpha1/graphql', { ...asked, body: query })
      const error = { extensions: { path: '$', code: 'invalid-headers', ...helped }, message: message(name) }
      assert.deepEqual([status, body], [400, { errors: [error] }])
      const operation = await request('/v1/query', { ...asked, body: { type: 'export_metadata', args: {} } })
      const flat = { path: '$', error: message(name), code: 'invalid-headers', ...helped }
      assert.deepEqual([operation.status, operation.body], [400, flat])
    }
    const both = { [`${foreign}role`]: 'customer', [`${own}role`]: 'admin' }
    const served = await request('/v1/graphql', { headers: both, body: query })
    assert.deepEqual(served.body, { data: { __typename: 'query_root' } })
    assert.equal((await request('/healthz', { headers: { [`${foreign}role`]: 'customer' } })).status, 200)
  })

  test(`sockets and tokens with names of ${foreign} are refused by a server of ${own}`, async (t) => {
    const jwtSecret = JSON.stringify({ type: 'HS256', key: macKey })
    const { url, request } = await startTrellis(t, { settings: { ...settings, adminSecret: 'sesame', jwtSecret } })
    const socket = await openSocket(t, url)
    socket.send({ type: 'connection_init', payload: { headers: { [`${foreign}admin-secret`]: 'sesame' } } })
    const { type, payload } = await socket.next()
    assert.equal(type, 'connection_error')
    assert.match(JSON.stringify(payload), /is a header of the other dialect/)
    const claims = { [`${foreign}allowed-roles`]: ['reader'], [`${foreign}default-role`]: 'reader' }
    const authorization = `Bearer ${await sign({ [namespace]: claims })}`
    const { status, body } = await request('/v1alpha1/graphql', {
      headers: { authorization },
      body: { query: '{ __typename }' },
    })
    const message = `JWT claim does not contain ${own}allowed-roles`
    const extensions = { path: '$', code: 'jwt-missing-role-claims', ...helped }
    assert.deepEqual([status, body], [400, { errors: [{ extensions, message }] }])
  })

  test(`presets of remote schemas in the names of ${foreign} are refused by a server of ${own}`, async (t) => {
    const crm = await startCrm(t, 'type Query { found(id: String): String }', { found: () => 'one' })
    const { op, opError } = await startTrellis(t, { settings: { ...settings, enableRemoteSchemaPermissions: true } })
    await op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
    const permit = (preset: string) => ({
      ...{ remote_schema: 'crm', role: 'clerk' },
      definition: { schema: `type Query { found(id: String @preset(value: ${preset})): String }` },
    })
    const { status, body } = await opError('add_remote_schema_permissions', permit(`"${foreign}user-id"`))
    assert.equal(status, 400)
    assert.match(JSON.stringify(body), /is a session variable of the other dialect/)
    await op('add_remote_schema_permissions', permit(`"${foreign}user-id", static: true`))
  })
}
