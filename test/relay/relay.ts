// Requests of the tests of Relay, and the content of ids and cursors.

import type { TestTrellis } from '../support/trellis.ts'

/** A base64 text as it is inside. */
export const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8')

export const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('base64')

export interface RelayAnswer<Data> {
  readonly data: Data
  readonly errors?: readonly { readonly message: string; readonly extensions: { path: string; code: string } }[]
}

export type Variables = Record<string, unknown>

/** Asks the endpoint of Relay; the data of the answer. */
export async function ask<Data = Record<string, unknown>>(
  trellis: TestTrellis,
  query: string,
  variables?: Variables,
  role?: string,
): Promise<Data> {
  const options = { path: '/v1beta1/relay', ...(role !== undefined && { role }) }
  const answer = await trellis.graphql<RelayAnswer<Data>>(query, variables, options)
  if (answer.errors) throw new Error(JSON.stringify(answer.errors))
  return answer.data
}

/** Sends a request that is refused; returns code, path and message. */
export async function refused(trellis: TestTrellis, query: string, variables?: Variables, role?: string) {
  const options = { path: '/v1beta1/relay', ...(role !== undefined && { role }) }
  const { errors } = await trellis.graphql<RelayAnswer<unknown>>(query, variables, options)
  if (!errors) throw new Error(`answered: ${query}`)
  const { message, extensions } = errors[0]!
  return [extensions.code, extensions.path, message]
}

export interface Connection {
  readonly edges: readonly { readonly cursor: string; readonly node: Record<string, unknown> }[]
  readonly pageInfo: {
    readonly startCursor: string | null
    readonly endCursor: string | null
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
  }
}

/** The fields that tests select of a connection. */
export const page = (node: string) =>
  `edges { cursor node { ${node} } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }`
