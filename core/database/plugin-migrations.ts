// Brings the tables of plugins up to date, behind those of core: each migration is run once, by whichever server comes first.

import type pg from 'pg'
import type { Migration } from '../engine/plugin.ts'
import { type LoadedPlugin, PluginError, pluginFailure, pluginLabel } from '../engine/plugins.ts'

/** Runs what is missing, all of it or nothing. `lock`: the advisory lock by which servers take turns. */
export async function migratePlugins(client: pg.Client, plugins: readonly LoadedPlugin[], lock: number): Promise<void> {
  const having = plugins.filter(({ plugin }) => plugin.migrations)
  for (const loaded of having) refuseRepeated(loaded)
  if (!having.some((loaded) => loaded.plugin.migrations!.length > 0)) return
  if (isComplete(having, await runBefore(client))) return
  // Whoever gets the lock has to see what was made while it waited, whatever is set for the role.
  await client.query('begin isolation level read committed')
  try {
    await client.query('select pg_advisory_xact_lock($1)', [lock])
    for (const loaded of having) await takeOver(client, loaded)
    const known = await runBefore(client)
    for (const loaded of having) await migratePlugin(client, loaded, known)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

function refuseRepeated(loaded: LoadedPlugin): void {
  const names = loaded.plugin.migrations!.map(({ name }) => name)
  const repeated = names.find((name, i) => names.indexOf(name) !== i)
  if (repeated !== undefined) throw new PluginError(`${pluginLabel(loaded)} has two migrations "${repeated}"`)
}

/** The names of the migrations that were run, by plugin. */
type History = ReadonlyMap<string, ReadonlySet<string>>

async function runBefore(client: pg.Client): Promise<History> {
  const { rows } = await client.query<{ plugin: string; names: string[] }>(
    'select plugin, array_agg(name) as names from trellis.plugin_migration group by plugin',
  )
  return new Map(rows.map(({ plugin, names }) => [plugin, new Set(names)]))
}

function isComplete(plugins: readonly LoadedPlugin[], history: History): boolean {
  return plugins.every((loaded) => {
    const done = history.get(loaded.plugin.name) ?? new Set()
    refuseNewer(loaded, done)
    return loaded.plugin.migrations!.every(({ name }) => done.has(name))
  })
}

function refuseNewer(loaded: LoadedPlugin, done: ReadonlySet<string>): void {
  const names = loaded.plugin.migrations!.map(({ name }) => name)
  const unknown = [...done].find((name) => !names.includes(name))
  if (unknown === undefined) return
  throw new PluginError(
    `${pluginLabel(loaded)} of a newer release made its tables in this database (it has its migration "${unknown}"): use that release, or another database`,
  )
}

/** Has migrations that core ran under another name count as the plugin's. */
async function takeOver(client: pg.Client, { plugin }: LoadedPlugin): Promise<void> {
  for (const { name, formerName } of plugin.migrations!) {
    if (formerName === undefined) continue
    await client.query(
      `insert into trellis.plugin_migration (plugin, name)
        select $1, $2 from trellis.migration where name = $3 on conflict do nothing`,
      [plugin.name, name, formerName],
    )
  }
}

async function migratePlugin(client: pg.Client, loaded: LoadedPlugin, history: History): Promise<void> {
  const done = history.get(loaded.plugin.name) ?? new Set()
  for (const migration of loaded.plugin.migrations!) {
    if (!done.has(migration.name)) await runMigration(client, loaded, migration)
  }
}

async function runMigration(client: pg.Client, loaded: LoadedPlugin, { name, sql }: Migration): Promise<void> {
  try {
    await client.query(sql)
  } catch (error) {
    throw pluginFailure(loaded, error, `failed in its migration "${name}"`)
  }
  const values = [loaded.plugin.name, name]
  await client.query('insert into trellis.plugin_migration (plugin, name) values ($1, $2)', values)
}
