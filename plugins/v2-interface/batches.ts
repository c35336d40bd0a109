// Lists of requests in one transaction.

import { flatError, Type } from '../../sdk/index.ts'
import { operation } from '../../sdk/metadata.ts'

const Requests = Type.Array(Type.Unknown())
const Results = Type.Array(Type.Unknown())

const membersOf = (requests: readonly unknown[]) => requests.map((envelope, i) => ({ at: [i], envelope }))

const batch = {
  args: Requests,
  adminOnly: false,
  access: 'any',
  editsMetadata: false,
  mayBeLarge: true,
  members: membersOf,
} as const

/** A member that fails is undone alone; its error stands in its place. */
export const bulkKeepGoing = operation({
  ...batch,
  type: 'bulk_keep_going',
  about: {
    summary: 'Runs requests in order; those that fail change nothing, and the others still run.',
    result: Results,
  },
  keepsGoing: true,
  async handle({ tryMember, dialect }, requests) {
    const results: unknown[] = []
    for (const i of requests.keys()) {
      const { result, error } = await tryMember(i)
      results.push(error ? flatError(error.helpedIf(dialect.errorsHelp).at('args'), false) : result)
    }
    return results
  },
})

/** All operations see the changes of earlier ones here, so it is the `bulk` of v1.3. */
export const bulkAtomic = operation({
  ...batch,
  type: 'bulk_atomic',
  about: { summary: 'Runs requests in order; they succeed or fail together, and are answered once.' },
  async handle({ runMember }, requests) {
    for (const i of requests.keys()) await runMember(i)
  },
})

/** Its members are those that read; they share one snapshot. */
export const concurrentBulk = operation({
  ...batch,
  type: 'concurrent_bulk',
  access: (requests) => (requests.length === 0 ? 'any' : 'READ ONLY'),
  onlyMembersThatRead: true,
  about: { summary: 'Runs requests that only read.', result: Results },
  async handle({ runMember }, requests) {
    const results: unknown[] = []
    for (const i of requests.keys()) results.push(await runMember(i))
    return results
  },
})
