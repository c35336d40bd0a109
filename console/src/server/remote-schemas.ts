// Remote schemas: those of the metadata, and the schema that each server answered.

import { queryOptions } from '@tanstack/react-query'
import { run } from './operations.ts'
import type { Metadata } from './queries.ts'

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

/** A field of a remote schema with its arguments, and the path from there. */
export interface RemoteField {
  readonly [name: string]: {
    readonly arguments: Readonly<Record<string, unknown>>
    readonly field?: RemoteField
  }
}

/** A reference to a type. */
export interface RemoteTypeReference {
  readonly kind: string
  readonly name: string | null
  readonly ofType?: RemoteTypeReference | null
}

/** An argument, or a field of an input object. */
export interface RemoteInput {
  readonly name: string
  readonly description?: string | null
  readonly type: RemoteTypeReference
  readonly defaultValue?: string | null
}

/** A field of a type. */
export interface RemoteTypeField {
  readonly name: string
  readonly description?: string | null
  readonly args: readonly RemoteInput[]
  readonly type: RemoteTypeReference
}

/** A type of a remote schema. */
export interface RemoteType {
  readonly kind: string
  readonly name: string
  readonly description?: string | null
  readonly fields?: readonly RemoteTypeField[] | null
  readonly inputFields?: readonly RemoteInput[] | null
  readonly interfaces?: readonly RemoteTypeReference[] | null
  readonly enumValues?: readonly { readonly name: string }[] | null
  readonly possibleTypes?: readonly RemoteTypeReference[] | null
}

/** The schema that a server answered. */
export interface Introspected {
  readonly queryType: { readonly name: string } | null
  readonly mutationType?: { readonly name: string } | null
  readonly subscriptionType?: { readonly name: string } | null
  readonly types: readonly RemoteType[]
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

/** The name of the type inside of lists. */
export const innerName = ({ name, ofType }: RemoteTypeReference): string => (ofType ? innerName(ofType) : (name ?? ''))

/** A reference as SDL has it: `[User!]!`. */
export function referenceText({ kind, name, ofType }: RemoteTypeReference): string {
  if (!ofType) return name ?? ''
  return kind === 'LIST' ? `[${referenceText(ofType)}]` : `${referenceText(ofType)}!`
}

/** The type of that name. */
export const typeNamed = ({ types }: Introspected, name: string): RemoteType | undefined =>
  types.find((type) => type.name === name)

/** Whether values of a type have no fields. */
export const isLeaf = (schema: Introspected, reference: RemoteTypeReference): boolean => {
  const kind = typeNamed(schema, innerName(reference))?.kind
  return kind === undefined || kind === 'SCALAR' || kind === 'ENUM'
}
