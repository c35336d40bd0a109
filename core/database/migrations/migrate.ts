// Brings the schema `trellis` up to date before it is read. Servers that start on one database at the same time take turns
// with an advisory lock. All pending migrations run in one transaction: a kill leaves all of them or none.

import type { Knex } from 'knex'
import type pg from 'pg'
import { StartError } from '../../errors/start-error.ts'
import { codeOf, messageOf } from '../../errors/thrown.ts'
import type { Observer } from '../../log/observe.ts'
import { connectOnce, mayNotUseSchema, refusedPrivilege, type StartSettings, takeStep } from '../wire/connect.ts'
import { isReadOnlyTransaction } from '../wire/postgres-errors.ts'
import { coreMigrations } from './baseline.ts'
import type { MigrationOwner } from './migration.ts'

/** An arbitrary number that no other program is likely to lock. */
const advisoryLock = 7_253_146_508

const oldestMajor = 12

const history = { schemaName: 'trellis', tableName: 'migration' }

export interface MigrateOptions {
  readonly settings: StartSettings
  readonly observe: Observer
  /** Plugins whose migrations follow those of core. */
  readonly owners: readonly MigrationOwner[]
}

/** A migration with its name in the history: core's own name, or `plugin:name`. */
interface ListedMigration {
  readonly name: string
  readonly sql: string
  failure(error: unknown): unknown
}

/** Connects, checks the version of PostgreSQL, and runs the pending migrations. */
export async function migrate({ settings, observe, owners }: MigrateOptions): Promise<void> {
  for (const owner of owners) refuseRepeated(owner)
  const listed = [
    ...coreMigrations.map((migration) => ({ ...migration, failure: (error: unknown) => error })),
    ...owners.flatMap(migrationsOf),
  ]
  await takeStep(settings, observe, () => migrateOnce(settings.databaseUrl ?? '', listed, owners))
  const info = { message: 'schema trellis is up to date', migrations: listed.length }
  observe.log({ type: 'startup', level: 'info', detail: { kind: 'catalog_migrate', info } })
}

const historyName = (owner: MigrationOwner, name: string): string => `${owner.name}:${name}`

const migrationsOf = (owner: MigrationOwner): ListedMigration[] =>
  owner.migrations.map(({ name, sql }) => ({
    name: historyName(owner, name),
    sql,
    failure: (error) => owner.failure(error, `failed in its migration "${name}"`),
  }))

function refuseRepeated(owner: MigrationOwner): void {
  const names = owner.migrations.map(({ name }) => name)
  const repeated = names.find((name, i) => names.indexOf(name) !== i)
  if (repeated !== undefined) throw owner.refusal(`has two migrations "${repeated}"`)
}

async function migrateOnce(
  url: string,
  listed: readonly ListedMigration[],
  owners: readonly MigrationOwner[],
): Promise<void> {
  const client = await connectOnce(url)
  let lost: Error | null = null
  client.on('error', ({ code = 'ECONNRESET', message }: Error & { readonly code?: string }) => {
    lost ??= Object.assign(new Error(message), { code })
  })
  try {
    await requireVersion(client)
    const applied = await appliedMigrations(client, owners)
    if (!listed.every(({ name }) => applied.includes(name))) await run(client, listed)
  } catch (error) {
    // A lost connection can surface as another error.
    throw lost ?? explained(error, client)
  } finally {
    await client.end().catch(() => {})
  }
}

async function requireVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: number; name: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as name`,
  )
  const [version] = rows
  if (version!.number >= oldestMajor * 10_000) return
  throw new StartError(
    `This is PostgreSQL ${version!.name}; version ${oldestMajor} or later is needed: upgrade it, or use another with --database-url`,
  )
}

/** The history of the database. Refuses migrations that this release lacks, and a history whose rows were lost. */
async function appliedMigrations(client: pg.Client, owners: readonly MigrationOwner[]): Promise<string[]> {
  const { rows: found } = await client.query(`select 1 where to_regclass('trellis.migration') is not null`)
  if (found.length === 0) return []
  const { rows } = await client.query<{ name: string }>('select name from trellis.migration order by id')
  const names = rows.map(({ name }) => name)
  // Renaming the schema would keep triggers on users' tables that write to it.
  if (names.length === 0) {
    throw new StartError(
      `The schema trellis of the database "${client.database}" has empty tables, as after restoring a dump without data: have the owner run DROP SCHEMA trellis CASCADE, which also drops the triggers that write to it, or use another database`,
    )
  }
  const unknown = names.find(
    (name) => !name.includes(':') && !coreMigrations.some((migration) => migration.name === name),
  )
  if (unknown !== undefined) {
    throw new StartError(
      `The schema trellis of this database was made by a newer release (it has migration ${unknown}): start that release, or use another database`,
    )
  }
  for (const owner of owners) refuseNewer(owner, names)
  return names
}

function refuseNewer(owner: MigrationOwner, applied: readonly string[]): void {
  const known = owner.migrations.map(({ name }) => historyName(owner, name))
  const prefix = historyName(owner, '')
  const unknown = applied.find((name) => name.startsWith(prefix) && !known.includes(name))
  if (unknown === undefined) return
  const name = unknown.slice(prefix.length)
  throw owner.refusal(
    `of a newer release made its tables in this database (it has its migration "${name}"): use that release, or another database`,
  )
}

async function run(client: pg.Client, listed: readonly ListedMigration[]): Promise<void> {
  // Loading knex takes most of a start without migrations, so it is loaded on demand.
  const { default: knex } = await import('knex')
  const db = knex({ client: 'pg', log: { warn: () => {}, error: () => {} } })
  const migrationSource: Knex.MigrationSource<ListedMigration> = {
    getMigrations: async () => [...listed],
    getMigrationName: ({ name }) => name,
    getMigration: async (migration) => ({
      // Runs on the transaction's connection. Knex itself would read each `?` in the text as a placeholder.
      up: () => client.query(migration.sql).catch((error) => Promise.reject(migration.failure(error))),
      down: async () => {},
    }),
  }
  const work = async (transaction: Knex.Transaction) => {
    await transaction.raw('select pg_advisory_xact_lock(?)', [advisoryLock])
    await requireSchema(transaction)
    await transaction.migrate.latest({ ...history, migrationSource, disableMigrationsListValidation: true })
  }
  try {
    // Under another default isolation of the role, a server that waited for the lock would not see the other's commit.
    await db.transaction(work, { connection: client, isolationLevel: 'read committed' })
  } finally {
    await db.destroy()
  }
}

/** `create schema if not exists` needs the privilege even if the schema exists. */
async function requireSchema(transaction: Knex.Transaction): Promise<void> {
  const found = await transaction.raw(`select 1 where to_regnamespace('trellis') is not null`)
  if (found.rows.length === 0) await transaction.raw('create schema trellis')
}

/** The error with its remedy. */
function explained(error: unknown, client: pg.Client): unknown {
  const { user, database } = client
  if (isReadOnlyTransaction(error)) {
    return new StartError(
      `The database "${database}" is read-only (a standby, or set so), but the schema trellis has to be created or updated: name the primary in --database-url`,
    )
  }
  const code = codeOf(error) ?? ''
  // Codes for names that exist already, or are missing: Trellis's own objects fit together, so the schema holds others.
  if (/^42(?!501)/.test(code)) {
    // Knex puts the statement before the message.
    const reason = messageOf(error).replace(/^.* - /s, '')
    return new StartError(
      `The schema trellis of the database "${database}" holds objects that Trellis did not create (${reason}): rename that schema, or use another database`,
    )
  }
  if (code !== refusedPrivilege) return error
  // The schema is there already, so the user needs no privilege on the database.
  if (!/for database/.test(messageOf(error))) return mayNotUseSchema(client, error)
  const grant = `GRANT CREATE ON DATABASE "${database}" TO "${user}"`
  return new StartError(
    `User "${user}" may not make the schema trellis (${messageOf(error)}): have the owner run ${grant}, or use another user in --database-url`,
  )
}
