// Operations on large metadata: the time of one permission, the delay of others meanwhile, and a bulk beside an
// equivalent document.

import { setTimeout as sleep } from 'node:timers/promises'
import { dialects } from '../../core/names/dialect.ts'
import { makeDatabase, withClient } from '../support/database.ts'
import type { Surroundings } from '../support/processes.ts'
import { ask, operate, type Question, startTrellis, type Trellis } from '../support/trellis.ts'

/** Tables and roles of the large metadata. */
const large = { tables: 2077, roles: 20 }

/** Tables and permissions that a bulk and a document describe. */
const bulk = { tables: 1000, roles: 5 }

const rounds = 10
const bulkRounds = 3
const fewPermissions = 200

/** Milliseconds; for bulks, the largest multiple of the document's time. */
export const editTargets = { operation: 50, others: 20, bulk: 2, replaceOthers: 500 }

/** The time of some work, and the longest delay of a request meanwhile; in milliseconds. */
interface Timed {
  readonly took: number
  readonly longest: number
}

/** A bulk, and the document with the same metadata. */
interface Compared {
  readonly bulk: Timed
  readonly document: Timed
}

export interface EditsResult {
  /** One operation at a time. */
  readonly creates: readonly Timed[]
  readonly drops: readonly Timed[]
  /** Bulks on the large metadata. */
  readonly createsTogether: readonly Timed[]
  readonly dropsTogether: readonly Timed[]
  /** Replaces the whole large document. */
  readonly replacement: Timed
  readonly tracks: readonly Compared[]
  readonly permissions: readonly Compared[]
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1)

const tableName = (number: number): string => `item_${String(number).padStart(4, '0')}`

const columns = ['id', 'owner_id', 'name', 'amount', 'created_at', 'parent_id']

const createTable = (number: number): string => `
  create table ${tableName(number)} (
    id integer primary key, owner_id text not null, name text not null, amount numeric, created_at timestamptz,
    parent_id integer references ${tableName(Math.max(1, number - 1))} (id)
  );`

const owned = { owner_id: { _eq: dialects.trellis.userIdVariable } }
const select = { columns, filter: owned }

const permissions = (roles: number, permission: unknown) =>
  numbers(roles).map((number) => ({ role: `role_${number}`, permission }))

const largeEntry = (number: number) => ({
  table: tableName(number),
  object_relationships: [{ name: 'parent', using: { foreign_key_constraint_on: 'parent_id' } }],
  insert_permissions: permissions(large.roles, { check: owned, columns }),
  select_permissions: permissions(large.roles, select),
  delete_permissions: permissions(large.roles, { filter: owned }),
})

/** The request as bytes: encoding it would delay the requests that measure. */
const question = (type: string, args: unknown): Question => ({
  path: '/v1/query',
  body: Buffer.from(JSON.stringify({ type, args })),
})

const document = (tables: readonly unknown[]): Question => question('replace_metadata', { version: 2, tables })

/** Milliseconds between the requests that measure the delay. */
const pause = 2

/** Runs work, and repeats a small query meanwhile. */
async function timed({ port }: Trellis, work: () => Promise<unknown>): Promise<Timed> {
  let isOver = false
  let longest = 0
  const other: Question = { path: '/v1/graphql', body: { query: '{ __typename }' } }
  const others = async () => {
    while (!isOver) {
      const sent = performance.now()
      await ask(port, other)
      longest = Math.max(longest, performance.now() - sent)
      await sleep(pause)
    }
  }
  const asking = others()
  const started = performance.now()
  try {
    await work()
    return { took: performance.now() - started, longest }
  } finally {
    isOver = true
    await asking
  }
}

const start = (databaseUrl: string, surroundings: Surroundings) =>
  startTrellis(['--database-url', databaseUrl, '--max-body-size', '100000000'], surroundings)

async function makeTables(serverUrl: string, name: string, tables: number): Promise<string> {
  const url = await makeDatabase(serverUrl, name)
  await withClient(url, async (client) => {
    for (const number of numbers(tables)) await client.query(createTable(number))
  })
  return url
}

async function measureLarge(serverUrl: string, surroundings: Surroundings) {
  const server = await start(await makeTables(serverUrl, 'edits_large', large.tables), surroundings)
  const whole = document(numbers(large.tables).map(largeEntry))
  const replacement = await timed(server, () => ask(server.port, whole))
  const role = 'another'
  const created = (number: number) => ({ table: tableName(number), role, permission: select })
  const dropped = (number: number) => ({ table: tableName(number), role })
  const creates: Timed[] = []
  const drops: Timed[] = []
  const createsTogether: Timed[] = []
  const dropsTogether: Timed[] = []
  for (const number of numbers(rounds)) {
    creates.push(await timed(server, () => operate(server.port, 'create_select_permission', created(number))))
    drops.push(await timed(server, () => operate(server.port, 'drop_select_permission', dropped(number))))
  }
  const members = (type: string, args: (number: number) => unknown) =>
    question(
      'bulk',
      numbers(fewPermissions).map((number) => ({ type, args: args(number) })),
    )
  const [creating, dropping] = [
    members('create_select_permission', created),
    members('drop_select_permission', dropped),
  ]
  for (const _ of numbers(bulkRounds)) {
    createsTogether.push(await timed(server, () => ask(server.port, creating)))
    dropsTogether.push(await timed(server, () => ask(server.port, dropping)))
  }
  await server.stop()
  return { creates, drops, createsTogether, dropsTogether, replacement }
}

async function measureBulks(serverUrl: string, surroundings: Surroundings) {
  const server = await start(await makeTables(serverUrl, 'edits_bulk', bulk.tables), surroundings)
  const tables = numbers(bulk.tables).map(tableName)
  const roles = numbers(bulk.roles).map((number) => `role_${number}`)
  const empty = document([])
  const tracked = document(tables.map((table) => ({ table })))
  const permitted = document(
    tables.map((table) => ({ table, select_permissions: roles.map((role) => ({ role, permission: select })) })),
  )
  const track = question(
    'bulk',
    tables.map((table) => ({ type: 'track_table', args: table })),
  )
  const permit = question(
    'bulk',
    tables.flatMap((table) =>
      roles.map((role) => ({ type: 'create_select_permission', args: { table, role, permission: select } })),
    ),
  )
  const send = (sent: Question) => timed(server, () => ask(server.port, sent))
  const trackings: Compared[] = []
  const permissionsOfAll: Compared[] = []
  for (const _ of numbers(bulkRounds)) {
    await send(empty)
    const tracks = await send(track)
    const creates = await send(permit)
    await send(empty)
    trackings.push({ bulk: tracks, document: await send(tracked) })
    await send(empty)
    permissionsOfAll.push({ bulk: creates, document: await send(permitted) })
  }
  await server.stop()
  return { tracks: trackings, permissions: permissionsOfAll }
}

/** Measures both sizes on one PostgreSQL, each in a separate database. */
export async function measureEdits(serverUrl: string, surroundings: Surroundings): Promise<EditsResult> {
  return { ...(await measureLarge(serverUrl, surroundings)), ...(await measureBulks(serverUrl, surroundings)) }
}

/** The heads of the report's lines. */
export const editTitles = {
  operations: `One permission at ${large.tables} tables x ${large.roles} roles`,
  few: `a bulk of ${fewPermissions}`,
  tracks: `a bulk of ${bulk.tables} track_table`,
  permissions: `a bulk of ${bulk.tables * bulk.roles} create_select_permission`,
}
