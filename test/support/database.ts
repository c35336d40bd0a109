import { randomBytes } from 'node:crypto'
import { after, type TestContext } from 'node:test'
import pg from 'pg'
import { atEnd } from './cleanup.ts'
import {
  copyDatabase,
  dropDatabase,
  sharedPostgres,
  startTestPostgres,
  type TestPostgres,
  urlOfDatabase,
} from './postgres.ts'

export interface TestDatabase {
  readonly url: string
  /** Runs SQL and returns the rows of its last statement. */
  sql<Row extends Record<string, unknown> = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]>
}

/** The PostgreSQL of a file that runs alone. */
let own: Promise<TestPostgres> | undefined
/** Whether it has ended, with all databases. This hook runs before those of files. */
let ownEnded = false

after(async () => {
  ownEnded = true
  await (await own?.catch(() => undefined))?.stop()
})

/** The PostgreSQL in which tests create their databases. */
export function testPostgres(): Promise<Omit<TestPostgres, 'stop'>> {
  const shared = sharedPostgres()
  if (shared) return Promise.resolve(shared)
  own ??= startTestPostgres()
  return own
}

export interface DatabaseOptions {
  readonly sql?: string
  /** The server; absent: the PostgreSQL of the tests. */
  readonly server?: Pick<TestPostgres, 'url' | 'template'>
}

/** A separate database for a test, dropped at its end. */
export async function testDatabase(t: TestContext, options: DatabaseOptions = {}): Promise<TestDatabase> {
  const { url: server, template } = options.server ?? (await testPostgres())
  const name = `test_${randomBytes(8).toString('hex')}`
  await copyDatabase(server, name, template)
  atEnd(t, async () => {
    if (!ownEnded) await dropDatabase(server, name)
  })
  const url = urlOfDatabase(server, name)
  let connected: Promise<pg.Client> | undefined
  atEnd(t, async () => (await connected?.catch(() => undefined))?.end())
  const database: TestDatabase = {
    url,
    async sql(text, values) {
      connected ??= connect(url)
      const client = await connected
      const results = await client.query(text, values as unknown[] | undefined)
      const last = Array.isArray(results) ? results.at(-1) : results
      return last?.rows ?? []
    },
  }
  if (options.sql !== undefined) await database.sql(options.sql)
  return database
}

/**
 * SQL for new sessions of the database: PostgreSQL looks once for a deadlock, when a session has waited for so long. A
 * test has this time to complete the cycle, and sets a longer timeout for the session that is to survive.
 */
export const lateDeadlocks = `do $$ begin
  execute format('alter database %I set deadlock_timeout = ''5s''', current_database());
end $$;`

/** For the session that survives a deadlock with one of `lateDeadlocks`. */
export const survivesDeadlock = `set local deadlock_timeout = '10min'`

/** Another client of a database, which disconnects with the test. */
export async function connectTo(t: TestContext, url: string): Promise<pg.Client> {
  const client = await connect(url)
  atEnd(t, () => client.end().catch(() => {}))
  return client
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}
