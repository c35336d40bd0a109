// Checks of PostgreSQL: its release, settings, rights, indexes, clock, and copies.

import pg from 'pg'
import { isJsonObject } from '../../core/json/json.ts'
import { version } from '../../core/names/version.ts'
import type { Json } from '../project/parts.ts'
import { type Check, workersOf } from './check.ts'
import { missingIndexes } from './permission-indexes.ts'
import { quotedTable, tablesOf } from './tables.ts'

/** The day on which a major release gets its last correction, as its makers plan it. */
const lastCorrections: Readonly<Record<string, string>> = {
  12: '2024-11-21',
  13: '2025-11-13',
  14: '2026-11-12',
  15: '2027-11-11',
  16: '2028-11-09',
  17: '2029-11-08',
  18: '2030-11-14',
}

/** Connections that an instance uses with the defaults: those that its workers share, and four more for each. */
const [pooledConnections, otherConnections] = [44, 4] as const

/** Seconds by which clocks may differ: tokens and leases bear that. */
const mostSecondsApart = 5

const connectionsOf = (workers: number): number => pooledConnections + otherConnections * workers

const settingFindings = (workers: number) => `
  select format('%s is off', name) from pg_settings
   where name in ('fsync', 'full_page_writes') and setting = 'off'
  union all
  select format('the encoding of the database is %s, not UTF8', setting) from pg_settings
   where name = 'server_encoding' and setting <> 'UTF8'
  union all
  select format('max_connections leaves %s connections, and an instance ${workers === 1 ? '' : `with ${workers} workers `}uses ${connectionsOf(workers)}', free)
    from (select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as free) c
   where free < ${connectionsOf(workers)}
  union all
  select 'the database accepts no changes'
   where pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on'
  order by 1`

const userFindings = `
  select format('the user %s is a superuser', rolname) from pg_roles where rolname = current_user and rolsuper
  union all
  select format('the user %s bypasses row-level security', rolname) from pg_roles
   where rolname = current_user and rolbypassrls and not rolsuper
  union all
  select format('the user has the name of the schema %s, where run_sql would create tables', current_user)
   where current_user in ('trellis', 'hdb_catalog')`

/** Foreign keys without an index for the rows that refer: joins and deletes read the whole table. */
const keysWithoutIndex = `
  select format('%s has no index for its foreign key %s (%s)', c.conrelid::regclass, c.conname,
                (select string_agg(a.attname, ', ') from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any (c.conkey)))
    from pg_constraint c
   where c.contype = 'f'
     and (select nspname from pg_namespace where oid = c.connamespace) not in ('trellis', 'hdb_catalog', 'pg_catalog')
     and not exists (
       select from pg_index i
        where i.indrelid = c.conrelid and i.indisvalid
          and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey)
   order by 1`

const brokenIndexes = `
  select format('index %s is not valid', indexrelid::regclass)
    from pg_index where not indisvalid order by 1`

const copyFindings = `
  select format('archiving the write-ahead log has failed since %s', last_failed_time::timestamptz(0))
    from pg_stat_archiver
   where last_failed_time > coalesce(last_archived_time, '-infinity')
  union all
  select format('the replication slot %s is unused and keeps %s of the write-ahead log', slot_name,
                pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)))
    from pg_replication_slots
   where not active and not pg_is_in_recovery() and pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) > 1073741824`

const rightOfPermission: Readonly<Record<string, string>> = {
  insert_permissions: 'insert',
  update_permissions: 'update',
  delete_permissions: 'delete',
}

/** The tables of a document with the rights that their permissions use. */
function neededRights(document: Json): readonly (readonly [table: string, right: string])[] {
  return tablesOf(document).flatMap(({ table, ...entry }) => {
    const used = Object.entries(rightOfPermission).filter(([key]) => {
      const list = entry[key]
      return Array.isArray(list) && list.length > 0
    })
    return ['select', ...used.map(([, right]) => right)].map((right) => [quotedTable(table), right] as const)
  })
}

/** The statement that lists the rights that the user lacks for the permissions of a document; null if it needs none. */
export function missingRights(document: Json): string | null {
  const needed = neededRights(document).map((pair) => `(${pair.map((each) => pg.escapeLiteral(each)).join(', ')})`)
  if (needed.length === 0) return null
  return `
    select format('the user %s lacks the right to %s %s', current_user, kind, name)
      from (values ${needed.join(', ')}) as needed (name, kind)
     where not has_table_privilege(to_regclass(name), kind) order by 1`
}

/** The version of a server's own plugins, which is its own: `version` of the configuration may be that of another interface. */
function servedVersion({ plugins }: Json): string | null {
  const own = Array.isArray(plugins)
    ? plugins.find((each) => isJsonObject(each) && each['built_in'] === true)
    : undefined
  return isJsonObject(own) && typeof own['version'] === 'string' ? own['version'] : null
}

export const databaseChecks: readonly Check[] = [
  {
    name: 'versions',
    finds: 'a PostgreSQL without corrections, and a command line of another release',
    why: 'errors and holes of old releases stay open',
    remedy: 'upgrade PostgreSQL, and use the command line of the release of the server',
    async run({ column, config }) {
      const [full = ''] = await column(`select current_setting('server_version')`)
      const last = lastCorrections[/^\d+/.exec(full)?.[0] ?? '']
      const isOld = last !== undefined && Date.parse(last) < Date.now()
      const served = servedVersion(config)
      const isOther = served !== null && served !== version
      return [
        ...(isOld ? [`PostgreSQL ${full} has got no corrections since ${last}`] : []),
        ...(isOther ? [`the server has version ${served}, and this command line ${version}`] : []),
      ]
    },
  },
  {
    name: 'settings',
    finds: 'settings of PostgreSQL that lose data or refuse work',
    why: 'a crash loses data, or requests fail',
    remedy: 'change the setting of PostgreSQL',
    run: ({ column, config }) => column(settingFindings(workersOf(config))),
  },
  {
    name: 'privileges',
    finds: 'a user of the database with too many rights, or too few for the permissions',
    why: 'a user with too many rights makes each mistake larger, and one with too few fails when a role needs them',
    remedy: 'grant the rights of the section "Rights of the database user"',
    async run({ column, document }) {
      const rights = missingRights(document)
      return [...(await column(userFindings)), ...(rights === null ? [] : await column(rights))]
    },
  },
  {
    name: 'indexes',
    finds: 'foreign keys and permissions without an index, and broken indexes',
    why: 'joins, deletes and permissions read whole tables',
    remedy: 'create the index with create index concurrently',
    async run({ column, document }) {
      const texts = [keysWithoutIndex, missingIndexes(document), brokenIndexes]
      const found: string[] = []
      for (const text of texts) if (text !== null) found.push(...(await column(text)))
      return found
    },
  },
  {
    name: 'clock',
    finds: 'clocks that differ',
    why: 'tokens, leases and schedules are judged by different times',
    remedy: 'synchronise the clocks',
    async run({ column }) {
      const asked = Date.now() / 1000
      const [text = '0'] = await column('select extract(epoch from clock_timestamp())::text')
      const seconds = Number(text)
      // The database has read its clock at some time between.
      const apart = Math.max(asked - seconds, seconds - Date.now() / 1000)
      if (apart <= mostSecondsApart) return []
      return [`the clocks of this machine and of the database differ by ${Math.round(apart)} seconds`]
    },
  },
  {
    name: 'copies',
    finds: 'archiving of the write-ahead log that fails, and unused replication slots',
    why: 'a copy that is not made cannot be restored',
    remedy: 'repair archive_command, and drop slots that nothing reads',
    run: ({ column }) => column(copyFindings),
  },
]
