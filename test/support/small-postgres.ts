// A separate PostgreSQL with few connections, and other clients that take the free ones.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { atEnd } from './cleanup.ts'
import { connectTo, type TestDatabase } from './database.ts'
import { embeddedPrograms, makePostgres } from './own-postgres.ts'
import { onServer } from './postgres.ts'

/** Starts one with this number of connections, three of which are for its administrator alone. */
export async function startPostgres(t: TestContext, connections: number, schema: string): Promise<TestDatabase> {
  const postgres = await makePostgres({
    programs: await embeddedPrograms(),
    parameters: { max_connections: String(connections), superuser_reserved_connections: '3' },
  })
  atEnd(t, () => postgres.remove())
  await postgres.start()
  await onServer(postgres.url, 'create role service login')
  await onServer(postgres.url, 'create database service owner service')
  const url = postgres.url.replace('postgres@localhost/postgres', 'service@localhost/service')
  const administrator = await connectTo(t, postgres.url.replace('/postgres?', '/service?'))
  const sql: TestDatabase['sql'] = async (text, values) =>
    (await administrator.query(text, values as unknown[] | undefined)).rows
  await onServer(url, schema)
  return { url, sql }
}

/** Connects other clients until PostgreSQL accepts no more. */
export async function occupy(t: TestContext, url: string): Promise<pg.Client[]> {
  const others: pg.Client[] = []
  for (;;) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
    } catch (error) {
      assert.equal((error as { code?: string }).code, '53300')
      return others
    }
    atEnd(t, () => client.end())
    others.push(client)
  }
}

const pidsOf = (clients: readonly pg.Client[]): Promise<number[]> =>
  Promise.all(clients.map(async (client) => (await client.query('select pg_backend_pid() as pid')).rows[0].pid))

/** Ends connections of the server, while other clients take all free ones. */
export async function crowdOut(t: TestContext, { url, sql }: TestDatabase, which = 'true'): Promise<pg.Client[]> {
  const others = await occupy(t, url)
  const pids = await pidsOf(others)
  for (;;) {
    const ended = await sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where usename = 'service' and not pid = any($1) and (${which})`,
      [pids],
    )
    const more = await occupy(t, url)
    others.push(...more)
    pids.push(...(await pidsOf(more)))
    if (ended.length === 0) return others
  }
}
