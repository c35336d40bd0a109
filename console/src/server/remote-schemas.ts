// Remote schemas: those of the metadata, and the schema that each server answered.

import { queryOptions } from '@tanstack/react-query'
import { run } from './operations.ts'
import type { Metadata } from './queries.ts'
import type { Introspected } from './remote-types.ts'

/** A remote schema of the metadata. */
export interface RemoteSchema {
  readonly name: string
  readonly comment?: string
  readonly definition: Readonly<Record<string, unknown>>
  readonly permissions?: readonly RemotePermission[]
}

/** The part of a remote schema that a role sees, as SDL. */
export interface RemotePermission {
  readonly role: string
  readonly definition: { readonly schema: string }
  readonly comment?: string
}

/** The remote schemas of a document. */
export const remoteSchemasOf = ({ metadata }: Metadata): readonly RemoteSchema[] =>
  (metadata['remote_schemas'] ?? []) as readonly RemoteSchema[]

/** `introspect_remote_schema`: the answer that the server kept. */
export const introspectionQuery = (name: string) =>
  queryOptions({
    queryKey: ['remote-schema', name],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const answer = await run<{ readonly data: { readonly __schema: Introspected } }>(
        'introspect_remote_schema',
        { name },
        { signal },
      )
      return answer.data.__schema
    },
  })
