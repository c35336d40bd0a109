// The server's description of its operations: which of them edit, and the forms of their arguments.

import { queryOptions } from '@tanstack/react-query'
import { send } from '../requests/send.ts'
import { learnEditing } from './editing.ts'
import { queries } from './queries.ts'

/** A JSON Schema, as far as forms need it. */
export interface Schema {
  readonly $ref?: string
  readonly title?: string
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly 'x-plugin'?: string
  readonly 'x-edits'?: boolean
}

interface ApiDocument {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** An operation that the server offers. */
export interface DescribedOperation {
  readonly type: string
  readonly version: number
  readonly summary: string
  readonly plugin: string
  /** Null: it depends on its arguments. */
  readonly edits: boolean | null
  readonly args: Schema
  readonly example: unknown
}

/** The operations of the server, by type and version. */
export interface Api {
  readonly operations: readonly DescribedOperation[]
  /** The schema that a reference leads to; any other schema is answered as it is. */
  resolve(schema: Schema): Schema
}

function described(schema: Schema): DescribedOperation | null {
  const { type, args, version } = schema.properties ?? {}
  if (typeof type?.const !== 'string' || !args) return null
  const example = schema.examples?.[0] as { readonly args?: unknown } | undefined
  return {
    ...{ type: type.const, version: typeof version?.const === 'number' ? version.const : 1, args },
    ...{ summary: schema.description ?? '', plugin: schema['x-plugin'] ?? '', edits: schema['x-edits'] ?? null },
    example: example?.args ?? {},
  }
}

function apiOf({ components: { schemas } }: ApiDocument): Api {
  const prefix = '#/components/schemas/'
  const resolve = (schema: Schema): Schema => {
    const target = schema.$ref?.startsWith(prefix) ? schemas[schema.$ref.slice(prefix.length)] : undefined
    return target ? resolve({ ...target, ...(schema.description && { description: schema.description }) }) : schema
  }
  const requests = Object.keys(schemas).filter((name) => name.startsWith('request.'))
  const operations = requests.flatMap((name) => described(schemas[name]!) ?? [])
  return { operations: operations.sort((a, b) => (a.type < b.type ? -1 : 1)), resolve }
}

/** `GET /api/openapi.json`, read when a page needs it: it is large. */
export const openapiQuery = queryOptions({
  queryKey: ['openapi'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }) => {
    const { body } = await send<ApiDocument>({ name: 'openapi', path: 'api/openapi.json', signal })
    const api = apiOf(body)
    learnEditing(api.operations)
    return api
  },
})

/** Learns from the server which operations edit. Where it does not tell, those that the page does not know count as edits. */
export const editingByServer = (): Promise<void> =>
  queries.ensureQueryData(openapiQuery).then(
    () => {},
    () => {},
  )
