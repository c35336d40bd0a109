// Answers of GraphQL as tests expect them.

import assert from 'node:assert/strict'
import type { RequestOptions } from './client.ts'
import type { TestTrellis } from './trellis.ts'

/** The data of a request that succeeds. */
export async function dataOf(
  trellis: TestTrellis,
  query: string,
  variables?: Record<string, unknown>,
  options?: RequestOptions,
): Promise<unknown> {
  const answer = await trellis.graphql<{ data?: unknown }>(query, variables, options)
  assert.ok('data' in answer, JSON.stringify(answer))
  return answer.data
}

/** The answer to a request that is refused. */
export const refusalOf = (path: string, code: string, message: string) => ({
  errors: [{ extensions: { path, code }, message }],
})
