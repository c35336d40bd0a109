// Every operation has tests, and is covered by the switch of its API.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { Apis } from '../../core/engine/apis.ts'
import type { RegisteredOperation } from '../../core/operations/registry.ts'
import { builtInPlugins } from '../../plugins/index.ts'
import { startTrellis } from '../support/trellis.ts'
import { areas } from './areas.ts'
import { operationName } from './entry.ts'
import { prepareWorld, startWorld } from './world.ts'

const everyApi = new Apis(builtInPlugins, null).known

const entries = areas.flatMap(({ operations }) => operations)

async function registeredOperations(t: TestContext): Promise<readonly RegisteredOperation[]> {
  const options = { settings: { enabledApis: [...everyApi] } }
  return (await startWorld(t, options, await prepareWorld(t, options))).operations
}

test('each registered operation has one entry, and each entry an operation', async (t) => {
  const registered = (await registeredOperations(t)).map(({ operation }) => operationName(operation))
  assert.deepEqual(entries.map(operationName).sort(), registered.sort())
})

test('each area has its own test file', () => {
  const files = readdirSync(import.meta.dirname)
  const own = files.filter((name) => name.endsWith('.test.ts') && name !== 'complete.test.ts')
  assert.equal(own.length, areas.length)
})

test('every operation is disabled together with its API', async (t) => {
  const registered = await registeredOperations(t)
  for (const api of new Set(registered.map((each) => each.api))) {
    const enabledApis = everyApi.filter((name) => name !== api)
    const { request } = await startTrellis(t, { settings: { enabledApis } })
    for (const { operation } of registered.filter((each) => each.api === api)) {
      const { type, version = 1 } = operation
      const { status, body } = await request<{ code: string; error: string }>('/v1/query', {
        body: { type, args: {}, version },
      })
      const isGone = [status, body.code].join(' ') === (api === 'metadata' ? '404 not-found' : '400 parse-failed')
      assert.ok(isGone, `${operationName(operation)}: ${JSON.stringify(body)}`)
    }
  }
})
