// Random histories of metadata operations on two servers over one database. The journal in the database has the order of
// commits. The same operations one after another, on a separate server, must have the same result. TRELLIS_TEST_HISTORIES
// says how many histories are tried.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { clientOf, type TestClient } from '../support/client.ts'
import type { TestDatabase } from '../support/database.ts'
import fc from '../support/fast-check.ts'
import { spawnTrellis } from '../support/process.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'
import { anyCommand, type Command, firstCommands } from './commands.ts'
import { servedVersion, type View, viewOf } from './view.ts'
import { fingerprint, makeWorld, readJournal, resetWorld } from './world.ts'

const histories = Number(process.env['TRELLIS_TEST_HISTORIES'] ?? 12)

/** With many histories, under each isolation of transactions. */
const isolations = histories > 50 ? ['read-committed', 'repeatable-read', 'serializable'] : ['read-committed']

interface Sent {
  readonly status: number
  readonly body: unknown
}

const send = async (client: TestClient, command: Command, id: number): Promise<Sent> => {
  const headers = { 'x-service-command': String(id) }
  const { status, body } = await client.request('/v1/query', { body: command, headers })
  return { status, body }
}

async function storedVersion({ sql }: TestDatabase): Promise<number> {
  const [row] = await sql<{ version: string }>('select resource_version as version from trellis.metadata')
  return Number(row!.version)
}

/** Waits until an instance serves the stored version. */
async function settled(client: TestClient, database: TestDatabase): Promise<void> {
  const version = await storedVersion(database)
  await eventually(async () => (await servedVersion(client)) === version)
}

async function startServer(t: TestContext, { url }: TestDatabase, isolation = 'read-committed'): Promise<TestClient> {
  const args = ['--database-url', url, '--server-host', '127.0.0.1', '--server-port', '0', '--connections', '5']
  const more = ['--enabled-log-types', 'startup', '--tx-iso', isolation]
  return clientOf(await spawnTrellis(t, [...args, ...more]).ready())
}

/** Schema and metadata as every history begins. */
async function begin(database: TestDatabase, clients: readonly TestClient[]): Promise<void> {
  const [first] = clients
  await resetWorld(database)
  await first!.op('reload_metadata', {})
  for (const { type, args } of firstCommands) await first!.op(type, args)
  for (const client of clients) await settled(client, database)
  await database.sql('truncate journal.line')
}

/** The view of a server that starts now. */
async function freshView(t: TestContext, database: TestDatabase): Promise<View> {
  const trellis = await startTrellis(t, { database, settings: { connections: 2 } })
  const view = await viewOf(trellis)
  await trellis.engine.close()
  return view
}

/** Cuts the connections on which servers are notified. */
const deafen = ({ sql }: TestDatabase) =>
  sql(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like 'LISTEN%'`)

/** Queues of commands, each sent one after another, the first half of them to the first server. */
const lanes = fc.array(fc.array(anyCommand, { minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 4 })

for (const isolation of isolations) {
  test(`two servers edited concurrently serve the result of the operations in some order (${isolation})`, (t) =>
    checkHistories(t, isolation))
}

async function checkHistories(t: TestContext, isolation: string): Promise<void> {
  const database = await makeWorld(t)
  const replayed = await makeWorld(t)
  const pair = [await startServer(t, database, isolation), await startServer(t, database, isolation)] as const
  const replay = await startServer(t, replayed)
  const property = fc.asyncProperty(lanes, fc.nat(4), async (queues, hearing) => {
    await begin(database, pair)
    const base = await storedVersion(database)
    if (hearing === 0) await deafen(database)
    const commands = queues.flat()
    const answers: Sent[] = []
    await Promise.all(
      queues.map(async (queue, lane) => {
        for (const command of queue) {
          const id = commands.indexOf(command)
          answers[id] = await send(pair[lane % 2]!, command, id)
        }
      }),
    )
    for (const client of pair) await settled(client, database)
    const journal = await readJournal(database)
    assertJournal(journal, { base, answers })

    const [first, second] = await Promise.all(pair.map(viewOf))
    assert.deepEqual(first, second)
    assert.deepEqual(await freshView(t, database), first)

    await begin(replayed, [replay])
    for (const id of journal.commands) {
      assert.deepEqual(await send(replay, commands[id]!, id), answers[id], JSON.stringify(commands[id]))
    }
    const { version: _, rows: __, ...expected } = await viewOf(replay)
    const { version: ___, rows: ____, ...found } = first!
    assert.deepEqual(found, expected)
  })
  await fc.assert(property, { numRuns: histories })
}

/** Acknowledged edits are in the journal, refused ones are not, and no version is lost or used twice. */
function assertJournal(
  { commands, versions }: Awaited<ReturnType<typeof readJournal>>,
  { base, answers }: { base: number; answers: readonly Sent[] },
): void {
  assert.deepEqual(
    commands.filter((id) => answers[id]?.status !== 200),
    [],
  )
  assert.deepEqual(
    versions,
    versions.map((_, i) => base + 1 + i),
  )
}

test('a refused operation changes nothing on any server', async (t) => {
  const database = await makeWorld(t)
  const pair = [await startServer(t, database), await startServer(t, database)] as const
  const steps = fc.array(fc.tuple(anyCommand, fc.nat(1)), { minLength: 5, maxLength: 12 })
  const property = fc.asyncProperty(steps, async (history) => {
    await begin(database, pair)
    let before = await fingerprint(database)
    for (const [id, [command, server]] of history.entries()) {
      const { status, body } = await send(pair[server]!, command, id)
      const after = await fingerprint(database)
      if (status !== 200) {
        assert.ok(isError(body), JSON.stringify(body))
        assert.equal(after, before, JSON.stringify(command))
      }
      before = after
    }
    for (const client of pair) await settled(client, database)
    const [first, second] = await Promise.all(pair.map(viewOf))
    assert.deepEqual(first, second)
    assert.deepEqual(await freshView(t, database), first)
  })
  await fc.assert(property, { numRuns: histories })
})

const isError = (body: unknown): boolean => {
  const { path, error, code } = body as Record<string, unknown>
  return [path, error, code].every((member) => typeof member === 'string')
}
