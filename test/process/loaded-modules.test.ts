// Which of Node's own modules a server loads.

import assert from 'node:assert/strict'
import test from 'node:test'
import { testDatabase } from '../support/database.ts'
import { serverCommand, spawnTrellis } from '../support/process.ts'

const [node, entry] = serverCommand as [string, string]
const list = `process.once('SIGTERM', () => console.log('loaded', process.moduleLoadList.join('|')))`

test('a server that calls no other does not load the clients of Node', async (t) => {
  const database = await testDatabase(t)
  const command = [node, '--import', `data:text/javascript,${list}`, entry]
  const server = spawnTrellis(t, ['--database-url', database.url, 'serve', '--server-port', '0'], {}, { command })
  const url = `${await server.ready()}/v1/graphql`
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: '{"query": "{ __typename }"}' })
  assert.deepEqual(await answer.json(), { data: { __typename: 'query_root' } })
  server.kill('SIGTERM')
  const { stdout } = await server.ended
  const [, modules = ''] = /^loaded (.+)$/m.exec(stdout) ?? []
  assert.ok(modules.includes('NativeModule http'), stdout)
  assert.ok(!modules.includes('undici'))
})
