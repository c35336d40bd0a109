import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from 'trellis/testing'
import mcp from '../../examples/mcp.ts'

const sql = `
  create table harbour (id int primary key, name text not null, depth numeric);
  insert into harbour values (1, 'Oslo', 12.50), (2, 'Bergen', 9)`

test('allowed queries are tools, with the permissions and the schema of the caller', async () => {
  await using trellis = await startTrellis({ plugins: [mcp], sql })
  const queries = [
    { name: 'by id', query: 'query ($id: Int!) { harbour(where: { id: { _eq: $id } }) { name } }' },
    { name: 'depths', query: '{ harbour(order_by: { id: asc }) { name depth } }' },
  ]
  const permission = { columns: ['id', 'name'], filter: {} }
  await trellis.operation('bulk', [
    { type: 'track_table', args: 'harbour' },
    { type: 'create_select_permission', args: { table: 'harbour', role: 'guest', permission } },
    { type: 'create_query_collection', args: { name: 'harbours', definition: { queries } } },
    { type: 'add_collection_to_allowlist', args: { collection: 'harbours' } },
  ])
  const ask = async (method: string, params: object = {}, role = 'guest') =>
    (await trellis.request<{ result: unknown }>('/mcp', { role, body: { jsonrpc: '2.0', id: 7, method, params } })).body
  const resultOf = async (...given: Parameters<typeof ask>) => (await ask(...given)).result

  const { protocolVersion } = Object(await resultOf('initialize', { protocolVersion: '2025-06-18' }))
  assert.equal(protocolVersion, '2025-06-18')
  assert.equal(
    (await trellis.request('/mcp', { body: { jsonrpc: '2.0', method: 'notifications/initialized' } })).status,
    202,
  )

  // A guest sees no depths, and no tool that reads them.
  const byId = {
    name: 'harbours_by_id',
    description: queries[0]!.query,
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { id: { title: 'Int', type: 'integer' } },
      required: ['id'],
      additionalProperties: false,
    },
  }
  assert.deepEqual(await resultOf('tools/list'), { tools: [byId] })
  assert.equal(Object(await resultOf('tools/list', {}, 'admin')).tools.length, 2)

  const call = (name: string, given: object) => resultOf('tools/call', { name, arguments: given })
  const text = '{"data":{"harbour":[{"name":"Oslo"}]}}'
  assert.deepEqual(await call('harbours_by_id', { id: 1 }), { content: [{ type: 'text', text }], isError: false })
  assert.equal(Object(await call('harbours_by_id', { id: 'one' })).isError, true)
  assert.equal(Object(await call('harbours_depths', {})).isError, true)

  const failure = (code: number, message: string) => ({ jsonrpc: '2.0', id: null, error: { code, message } })
  assert.deepEqual(await ask('tools/call', { name: 'other' }), failure(-32_601, 'there is no tool "other"'))
  assert.deepEqual(await ask('resources/list'), failure(-32_601, 'there is no method "resources/list"'))
  const broken = await trellis.request('/mcp', { body: '{' })
  assert.deepEqual([broken.status, Object(broken.body).error.code], [400, -32_700])
})
