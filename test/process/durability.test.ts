import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { clientOf, type TestClient } from '../support/client.ts'
import { embeddedPid, spawnTrellis, startedDirectory } from '../support/process.ts'

const serving = (directory: string) => ['--data-dir', directory, '--server-host', '127.0.0.1', '--server-port', '0']

const tableCount = 400

async function makeTables(directory: string): Promise<void> {
  const client = new pg.Client({ connectionString: readFileSync(join(directory, 'database-url'), 'utf8').trim() })
  await client.connect()
  await client.query(
    `do $$ begin for i in 1..${tableCount} loop execute format('create table t%s (id int primary key)', i); end loop; end $$`,
  )
  await client.end()
}

interface Progress {
  /** Tables whose tracking was acknowledged. */
  readonly acknowledged: Set<string>
  /** Tables whose tracking was asked for. */
  readonly asked: Set<string>
  next: number
}

/** Tracks table after table until the server no longer answers. */
async function trackUntilKilled({ op }: TestClient, progress: Progress): Promise<void> {
  for (;;) {
    const name = `t${progress.next++}`
    progress.asked.add(name)
    try {
      await op('track_table', { schema: 'public', name })
    } catch (error) {
      assert.ok(error instanceof TypeError, String(error))
      return
    }
    progress.acknowledged.add(name)
  }
}

async function trackedTables({ op }: TestClient): Promise<Set<string>> {
  const { tables } = await op<{ tables: { table: { name: string } }[] }>('export_metadata', {})
  return new Set(tables.map(({ table }) => table.name))
}

test('after kill -9 in the middle of metadata operations the next start serves the last acknowledged state', async (t) => {
  const directory = await startedDirectory(t)
  const progress: Progress = { acknowledged: new Set(), asked: new Set(), next: 1 }
  let server = spawnTrellis(t, serving(directory))
  let client = clientOf(await server.ready())
  await makeTables(directory)
  await client.op('reload_metadata', {})
  for (const [round, delay] of [50, 0, 120, 30].entries()) {
    const before = progress.acknowledged.size
    const writers = [1, 2].map(() => trackUntilKilled(client, progress))
    while (progress.acknowledged.size < before + 3) await sleep(5)
    await sleep(delay)
    server.kill('SIGKILL')
    if (round % 2 === 1) process.kill(embeddedPid(directory)!, 'SIGKILL')
    await Promise.all([...writers, server.ended])

    server = spawnTrellis(t, serving(directory))
    client = clientOf(await server.ready())
    const tracked = await trackedTables(client)
    assert.deepEqual(
      [...progress.acknowledged].filter((name) => !tracked.has(name)),
      [],
    )
    assert.deepEqual(
      [...tracked].filter((name) => !progress.asked.has(name)),
      [],
    )
    const roots = [...tracked].map((name) => `${name} { id }`).join(' ')
    const served = await client.graphql<{ data?: Record<string, unknown[]> }>(`{ ${roots} }`)
    assert.ok(served.data, JSON.stringify(served))
    assert.deepEqual(new Set(Object.keys(served.data)), tracked)
    for (const name of tracked) progress.acknowledged.add(name)
  }
})
