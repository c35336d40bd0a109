// The GraphQL request that the webhook gets to see in version 2.

import { readJsonInTurns } from '../../sdk/http.ts'
import { isJsonObject } from '../../sdk/services.ts'
import { longestBody } from './tuning.ts'

/**
 * The GraphQL request in a body, or the requests of a batch, with all digits of their numbers; null: it has none, or is
 * too long.
 */
export async function graphqlRequestIn(body: Buffer | undefined): Promise<unknown> {
  if (body === undefined || body.length === 0 || body.length > longestBody) return null
  let given: unknown
  try {
    given = await readJsonInTurns(body, 'lossless')
  } catch {
    return null
  }
  if (!Array.isArray(given)) return requestOf(given)
  const requests = given.map(requestOf)
  return requests.length > 0 && !requests.includes(null) ? requests : null
}

const members = ['query', 'variables', 'operationName'] as const

function requestOf(given: unknown): unknown {
  if (!isJsonObject(given) || typeof given['query'] !== 'string') return null
  return Object.fromEntries(members.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])))
}
