// Requests to REST endpoints.

import { isObject, type JsonObject } from '../../../base/objects.ts'

/** The methods of an endpoint. */
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export type Method = (typeof methods)[number]

/** A path and methods that run a query of a collection. */
export interface RestEndpoint {
  readonly name: string
  /** Below `api/rest/`; a part that starts with `:` is a variable. */
  readonly url: string
  readonly methods: readonly Method[]
  readonly comment?: string
  readonly definition: { readonly query: { readonly collection_name: string; readonly query_name: string } }
}

/** A request to an endpoint; those with `GET` have no body. */
interface RestRequest {
  readonly name: string
  readonly path: string
  readonly method: Method
  readonly body?: unknown
}

/** The variables in the path of an endpoint. */
const pathVariables = (url: string): readonly string[] =>
  url.split('/').flatMap((part) => (part.startsWith(':') ? [part.slice(1)] : []))

/** Whether a text has a mutation; a text with faults may have one. */
export const isMutation = (query: string): boolean => !/^\s*(?:#.*\n\s*)*(?:query\b|\{)/.test(query)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The request to an endpoint: values of other variables than those of the path go into the address, or the body. */
export function requestTo({ name, url }: RestEndpoint, method: Method, values: JsonObject): RestRequest {
  const own = pathVariables(url)
  const filled = url.split('/').map((part) => {
    return part.startsWith(':') ? encodeURIComponent(textOf(values[part.slice(1)] ?? '')) : encodeURIComponent(part)
  })
  const others = Object.entries(values).filter(([key]) => !own.includes(key))
  const path = `api/rest/${filled.join('/')}`
  if (method !== 'GET') return { name, path, method, body: Object.fromEntries(others) }
  const search = new URLSearchParams(others.map(([key, value]): [string, string] => [key, textOf(value)])).toString()
  return { name, path: search === '' ? path : `${path}?${search}`, method }
}

/** An example of the variables of an endpoint. */
export const exampleFor = (endpoint: RestEndpoint, query: string): string => {
  const declared = [...(/\(([^)]*)\)/.exec(query.split('{')[0] ?? '')?.[1] ?? '').matchAll(/\$(\w+)/g)].map(
    ([, name]) => name!,
  )
  const names = [...new Set([...pathVariables(endpoint.url), ...declared])]
  return names.length === 0 ? '{}' : JSON.stringify(Object.fromEntries(names.map((name) => [name, ''])), null, 2)
}

/** The values of a text; throws where it is not an object. */
export function valuesIn(text: string): JsonObject {
  const values: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
  if (!isObject(values)) throw new Error('the variables are not an object')
  return values
}
