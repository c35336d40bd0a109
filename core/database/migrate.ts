// Brings the schema `trellis` up to date before anything reads it. Several servers may start at once on one database:
// they take turns by an advisory lock, and all migrations run in one transaction, so a kill leaves all or none.

import type { Knex } from 'knex'
import type pg from 'pg'
import type { LoadedPlugin } from '../engine/plugins.ts'
import { StartError } from '../errors/start-error.ts'
import { codeOf, messageOf } from '../errors/thrown.ts'
import type { Observer } from '../log/observe.ts'
import { migrations } from './migrations/index.ts'
import type { NamedMigration } from './migrations/migration.ts'
import { migratePlugins } from './plugin-migrations.ts'
import { connectOnce, type StartSettings, takeStep } from './wire/connect.ts'
import { isReadOnlyTransaction } from './wire/postgres-errors.ts'

/** Any number that nobody else locks by. */
const advisoryLock = 7_253_146_508

const oldestMajor = 12

const history = { schemaName: 'trellis', tableName: 'migration' }

class ListedMigrations implements Knex.MigrationSource<NamedMigration> {
  async getMigrations(): Promise<NamedMigration[]> {
    return [...migrations]
  }
  getMigrationName(migration: NamedMigration): string {
    return migration.name
  }
  async getMigration(migration: NamedMigration): Promise<Knex.Migration> {
    return migration
  }
}

export interface MigrateOptions {
  readonly settings: StartSettings
  readonly observe: Observer
  /** Whose migrations follow those of core. */
  readonly plugins: readonly LoadedPlugin[]
}

/** Connects, checks the version of PostgreSQL, and runs the migrations that are missing. */
export async function migrate({ settings, observe, plugins }: MigrateOptions): Promise<void> {
  await takeStep(settings, observe, () => migrateOnce(settings.databaseUrl ?? '', plugins))
  const ofPlugins = plugins.flatMap(({ plugin }) => plugin.migrations ?? [])
  const info = { message: 'schema trellis is up to date', migrations: migrations.length + ofPlugins.length }
  observe.log({ type: 'startup', level: 'info', detail: { kind: 'catalog_migrate', info } })
}

async function migrateOnce(url: string, plugins: readonly LoadedPlugin[]): Promise<void> {
  const client = await connectOnce(url)
  let lost: Error | null = null
  client.on('error', ({ code = 'ECONNRESET', message }: Error & { readonly code?: string }) => {
    lost ??= Object.assign(new Error(message), { code })
  })
  try {
    await requireVersion(client)
    const applied = await appliedMigrations(client)
    if (!migrations.every(({ name }) => applied.includes(name))) await run(client)
    await migratePlugins(client, plugins, advisoryLock)
  } catch (error) {
    // What failed for that reason may say it in other words.
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

/** Names of the migrations that the database has; refused when it has one that this release does not know, or lost them. */
async function appliedMigrations(client: pg.Client): Promise<string[]> {
  const { rows: found } = await client.query(`select 1 where to_regclass('trellis.migration') is not null`)
  if (found.length === 0) return []
  const { rows } = await client.query<{ name: string }>('select name from trellis.migration order by id')
  const names = rows.map(({ name }) => name)
  // To rename it, as one of somebody else, would leave triggers of tables that write to what is not there.
  if (names.length === 0) {
    throw new StartError(
      `The schema trellis of the database "${client.database}" has its tables without what was in them, as a dump without data leaves it: have the owner run DROP SCHEMA trellis CASCADE, which takes along the triggers that write to it, or use another database`,
    )
  }
  // One that is older than the newest of this release was of what a plugin has by now.
  const newest = migrations.at(-1)!.name
  const unknown = names.find((name) => name > newest)
  if (unknown === undefined) return names
  throw new StartError(
    `The schema trellis of this database was made by a newer release (it has migration ${unknown}): start that release, or use another database`,
  )
}

async function run(client: pg.Client): Promise<void> {
  // Loaded only when there is something to do: it is most of the time that a start with nothing to do would take.
  const { default: knex } = await import('knex')
  const db = knex({ client: 'pg', log: { warn: () => {}, error: () => {} } })
  const work = async (transaction: Knex.Transaction) => {
    await transaction.raw('select pg_advisory_xact_lock(?)', [advisoryLock])
    await requireSchema(transaction)
    await transaction.migrate.latest({
      ...history,
      migrationSource: new ListedMigrations(),
      disableMigrationsListValidation: true,
    })
  }
  try {
    // Whoever gets the lock has to see what was made while it waited, whatever is set for the role.
    await db.transaction(work, { connection: client, isolationLevel: 'read committed' })
  } finally {
    await db.destroy()
  }
}

/** `create schema if not exists` asks for the privilege even when the schema is there. */
async function requireSchema(transaction: Knex.Transaction): Promise<void> {
  const found = await transaction.raw(`select 1 where to_regnamespace('trellis') is not null`)
  if (found.rows.length === 0) await transaction.raw('create schema trellis')
}

/** What is missing or wrong in the database, told with its remedy. */
function explained(error: unknown, { user, database }: pg.Client): unknown {
  if (isReadOnlyTransaction(error)) {
    return new StartError(
      `The database "${database}" takes no changes: it is a standby, or was made read-only, while the schema trellis has to be made or brought up to date in it: name the one that takes writes in --database-url`,
    )
  }
  const code = codeOf(error) ?? ''
  // Names that are taken, or are not there: what Trellis makes itself fits together.
  if (/^42(?!501)/.test(code)) {
    // Knex puts the statement in front.
    const reason = messageOf(error).replace(/^.* - /s, '')
    return new StartError(
      `The schema trellis of the database "${database}" holds what Trellis did not make (${reason}): rename that schema, or use another database`,
    )
  }
  if (code !== '42501') return error
  const grant = `GRANT CREATE ON DATABASE "${database}" TO "${user}"`
  return new StartError(
    `User "${user}" may not make or use the schema trellis (${messageOf(error)}): have the owner run ${grant}, or use another user in --database-url`,
  )
}
