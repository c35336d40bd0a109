// `bulk`: several requests that succeed or fail as one.

import { Type } from '../../sdk/index.ts'
import { operation } from '../../sdk/metadata.ts'

/** Its access and effects are those of its members. */
export const bulk = operation({
  type: 'bulk',
  about: { summary: 'Runs requests in order; they succeed or fail together.', result: Type.Array(Type.Unknown()) },
  args: Type.Array(Type.Unknown()),
  adminOnly: false,
  access: 'any',
  editsMetadata: false,
  members: (requests) => requests.map((envelope, i) => ({ at: [i], envelope })),
  async handle({ runMember }, requests) {
    const results: unknown[] = []
    for (const i of requests.keys()) results.push(await runMember(i))
    return results
  },
})
