// The server's state that pages share, each fetched once: configuration, metadata, names of tables.

import { QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { facts } from '../base/facts.ts'
import { asFailure } from '../requests/failure.ts'
import { readOnly } from '../requests/mode.ts'
import { send } from '../requests/send.ts'
import type { PluginParts } from './config-parts.ts'
import { type GivenTable, type TableName, tableKey } from './names.ts'
import { run } from './operations.ts'

/** The cache of answers. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      refetchOnWindowFocus: true,
      // A refusal stays one; a server that restarts is asked again.
      retry: (count, error) => asFailure(error).facts.status >= 502 && count < 2,
    },
    mutations: { retry: false },
  },
})

/** The report of the server about itself. */
export interface ServerConfig {
  readonly version: string
  readonly dialect: string
  readonly is_admin_secret_set: boolean
  readonly apis: { readonly enabled: readonly string[]; readonly known: readonly string[] }
  readonly read_only: boolean
  /** Absent: the server has no allow-list. */
  readonly is_allow_list_enabled?: boolean
  readonly environment: { readonly label: string | null; readonly colour: string | null }
  readonly postgres: { readonly version: number }
  /** The parts that plugins add; see `plugins/parts.ts`. */
  readonly console?: PluginParts
  readonly plugins: readonly {
    readonly name: string
    readonly version: string | null
    readonly api: string
    readonly built_in: boolean
    readonly options: Readonly<Record<string, unknown>>
    /** Its enabled routes, as `GET /v1/version`. */
    readonly routes: readonly string[]
  }[]
}

/** `GET /v1alpha1/config`. */
export const configQuery = queryOptions({
  queryKey: ['config'],
  staleTime: 5 * 60_000,
  queryFn: async ({ signal }) => {
    const { body } = await send<ServerConfig>({ name: 'config', path: 'v1alpha1/config', signal })
    if (body.read_only) readOnly.set('server')
    else if (readOnly.get() === 'server' && !facts.isReadOnly) readOnly.set(null)
    return body
  },
})

/** Whether the server's environment is called `production` or `prod`. */
export function useIsProduction(): boolean {
  const label = useConfig()?.environment.label ?? ''
  return ['production', 'prod'].includes(label.trim().toLowerCase())
}

/** The entry of a table in the metadata. */
export interface TableEntry {
  readonly table: TableName
  readonly is_enum?: boolean
  readonly object_relationships?: readonly Relationship[]
  readonly array_relationships?: readonly Relationship[]
  readonly select_permissions?: readonly PermissionEntry[]
  readonly insert_permissions?: readonly PermissionEntry[]
  readonly update_permissions?: readonly PermissionEntry[]
  readonly delete_permissions?: readonly PermissionEntry[]
  readonly [key: string]: unknown
}

/** A relationship of a table. */
export interface Relationship {
  readonly name: string
  readonly using: unknown
  readonly comment?: string
}

/** A permission of a role. */
export interface PermissionEntry {
  readonly role: string
  readonly permission: Readonly<Record<string, unknown>>
  readonly comment?: string
}

/** The document, with the version that edits are based on. */
export interface Metadata {
  readonly resource_version: number
  readonly metadata: {
    readonly sources?: readonly { readonly tables?: readonly TableEntry[]; readonly [key: string]: unknown }[]
    readonly tables?: readonly TableEntry[]
    readonly [key: string]: unknown
  }
}

/** `export_metadata`, version 2. */
export const metadataQuery = queryOptions({
  queryKey: ['metadata'],
  queryFn: ({ signal }) => run<Metadata>('export_metadata', {}, { version: 2, signal }),
})

/** The metadata that the person sees; those of the server where an edit has come since, or nothing was read yet. */
export const seenMetadata = (): Promise<Metadata> => queries.fetchQuery({ ...metadataQuery, staleTime: Infinity })

/** The tables of a document, of either format. */
export const tablesOf = ({ metadata }: Metadata): readonly TableEntry[] =>
  metadata.tables ?? metadata.sources?.flatMap(({ tables = [] }) => tables) ?? []

/** The entry of a table in a document; undefined: it is not tracked. */
export const entryOf = (metadata: Metadata, table: GivenTable): TableEntry | undefined =>
  tablesOf(metadata).find((each) => tableKey(each.table) === tableKey(table))

/** The names of the roles that a document has permissions for, sorted. */
export function rolesOf(metadata: Metadata): readonly string[] {
  const kinds = ['select_permissions', 'insert_permissions', 'update_permissions', 'delete_permissions'] as const
  const roles = tablesOf(metadata).flatMap((entry) =>
    kinds.flatMap((kind) => (entry[kind] ?? []).map(({ role }) => role)),
  )
  const inherited = (metadata.metadata['inherited_roles'] ?? []) as readonly { readonly role_name: string }[]
  return [...new Set([...roles, ...inherited.map(({ role_name }) => role_name)])].sort()
}

/** The names of the roles that have a permission on a table, sorted. */
export function rolesOn(entry: TableEntry): readonly string[] {
  const { select_permissions, insert_permissions, update_permissions, delete_permissions } = entry
  const lists = [select_permissions, insert_permissions, update_permissions, delete_permissions]
  return [...new Set(lists.flatMap((list = []) => list.map(({ role }) => role)))].sort()
}

/** The server's configuration, once it is known. */
export const useConfig = (): ServerConfig | undefined => useQuery(configQuery).data

/** Whether an API is enabled; true until that is known. */
export const useApi = (name: string): boolean => useConfig()?.apis.enabled.includes(name) ?? true

/** Whether the server has a plugin; true until that is known. */
export const usePlugin = (name: string): boolean => useConfig()?.plugins.some((each) => each.name === name) ?? true

/** Whether the server tries changes for this person; the read secret does not allow it. */
export function useCanTry(): boolean {
  const hasPlugin = usePlugin('simulate')
  return useConfig()?.read_only !== true && hasPlugin
}

/** Reads the metadata and all that follows from it again, after an edit. */
export const refreshMetadata = (): Promise<void> =>
  queries.invalidateQueries({ predicate: ({ queryKey }) => !kept.has(queryKey[0]) })

/** Queries that an edit does not change, and trials of edits, which the server would refuse once they are made. */
const kept = new Set<unknown>(['config', 'openapi', 'simulation'])

/** A table or view of the database, tracked or not. */
export interface SourceTable extends TableName {
  readonly kind: string
  readonly is_tracked: boolean
  readonly description: string | null
  readonly estimated_rows: number | null
  readonly bytes: number | null
  readonly partition_of: TableName | null
}

/** All tables and views of the database. */
export const sourceTablesQuery = queryOptions({
  queryKey: ['source-tables'],
  queryFn: ({ signal }) => run<readonly SourceTable[]>('pg_get_source_tables', { details: true }, { signal }),
})
