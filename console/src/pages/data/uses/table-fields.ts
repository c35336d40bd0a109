// The root fields of a table in the schema of an identity, and the stored queries that use them.

import { Kind, parse } from 'graphql'
import type { Identity } from '../../../requests/identity.ts'
import type { Metadata, TableEntry } from '../../../server/queries.ts'
import { readRoots, readType } from '../../api/introspection.ts'
import { operationFor, type SchemaField, typeText } from '../../api/schema.ts'
import { collectionsOf } from '../../govern/collections/collections-model.ts'
import { typeNameOf } from '../rules/rule-fields.ts'

/** The kinds of operations. */
export const kinds = ['query', 'mutation', 'subscription'] as const

/** A root field of a table, with the kind of its operations. */
export interface TableField {
  readonly kind: (typeof kinds)[number]
  readonly field: SchemaField
}

/** A name without the signs in which naming conventions differ. */
const plain = (name: string): string => name.toLowerCase().replaceAll('_', '')

const suffixes = ['', 'aggregate', 'mutationresponse', 'connection']

/** The root fields that answer rows of a table, as an identity has them. */
export async function fieldsOf(entry: TableEntry, as: Identity, signal: AbortSignal): Promise<readonly TableField[]> {
  const roots = await readRoots(as, signal)
  const own = new Set(suffixes.map((suffix) => plain(typeNameOf(entry)) + suffix))
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const root = roots[`${kind}Type`]
      const type = root && (await readType(root.name, as, signal))
      const fields = (type?.fields ?? []).filter((field) => own.has(plain(typeText(field.type).name)))
      return fields.map((field) => ({ kind, field }))
    }),
  )
  return found.flat()
}

/** One field of each kind, to begin with: of the mutations, an insert. */
export const examplesOf = (fields: readonly TableField[]): readonly TableField[] =>
  kinds.flatMap((kind) => {
    const all = fields.filter((each) => each.kind === kind)
    return all.find(({ field }) => field.name.startsWith('insert')) ?? all[0] ?? []
  })

/** An operation for a field of a table. */
export async function textOf({ kind, field }: TableField, as: Identity, signal: AbortSignal): Promise<string> {
  return operationFor(kind, field, await readType(typeText(field.type).name, as, signal))
}

/** A REST endpoint of the metadata. */
export interface RestEndpoint {
  readonly name: string
  readonly url: string
  readonly methods: readonly string[]
  readonly definition: { readonly query: { readonly collection_name: string; readonly query_name: string } }
}

/** The REST endpoints whose queries use one of these root fields. */
export function endpointsOf(metadata: Metadata, names: ReadonlySet<string>): readonly RestEndpoint[] {
  const collections = collectionsOf(metadata)
  return ((metadata.metadata['rest_endpoints'] ?? []) as readonly RestEndpoint[]).filter(({ definition }) => {
    const { collection_name: collection, query_name: name } = definition.query
    const { queries = [] } = collections.find((each) => each.name === collection)?.definition ?? {}
    const query = queries.find((each) => each.name === name)?.query
    return query !== undefined && rootNames(query).some((each) => names.has(each))
  })
}

function rootNames(query: string): readonly string[] {
  try {
    return parse(query, { noLocation: true }).definitions.flatMap((definition) =>
      'selectionSet' in definition && definition.selectionSet
        ? definition.selectionSet.selections.flatMap((each) => (each.kind === Kind.FIELD ? [each.name.value] : []))
        : [],
    )
  } catch {
    return []
  }
}
