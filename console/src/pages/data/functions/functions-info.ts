// The functions of the database that can be served, and those that are.

import { queryOptions } from '@tanstack/react-query'
import { type GivenTable, type TableName, tableKey } from '../../../server/names.ts'
import { run } from '../../../server/operations.ts'
import type { Metadata } from '../../../server/queries.ts'

/** A function of the database that returns rows of a table. */
export interface SourceFunction {
  readonly name: TableName
  readonly volatility: string
}

/** A tracked function, as the metadata has it. */
export interface FunctionEntry {
  readonly function: GivenTable
  readonly configuration?: { readonly custom_name?: string; readonly exposed_as?: string }
  readonly permissions?: readonly { readonly role: string }[]
}

/** The functions that can be tracked, or are. */
export const functionsQuery = queryOptions({
  queryKey: ['source-functions'],
  queryFn: async ({ signal }) => {
    const { functions } = await run<{ readonly functions: readonly SourceFunction[] }>(
      'pg_get_source_trackables',
      {},
      { signal },
    )
    return functions
  },
})

/** The tracked functions of a document, of either format. */
export const trackedFunctions = ({ metadata }: Metadata): readonly FunctionEntry[] =>
  [metadata, ...(metadata.sources ?? [])].flatMap((place) => (place['functions'] ?? []) as readonly FunctionEntry[])

/** The entry of a function; undefined: it is not tracked. */
export const functionEntry = (metadata: Metadata | undefined, name: TableName): FunctionEntry | undefined =>
  metadata && trackedFunctions(metadata).find((each) => tableKey(each.function) === tableKey(name))
