// Simulations.

import assert from 'node:assert/strict'
import { library } from './documents.ts'
import { documentIs } from './effects.ts'
import type { OperationEntry } from './entry.ts'

const untrack = { type: 'untrack_table', args: { table: 'book_count' } }

interface Simulation {
  readonly results: readonly unknown[]
  readonly patch: readonly { readonly part: string; readonly table: object }[]
}

export const simulations: readonly OperationEntry[] = [
  {
    type: 'simulate',
    requires: ['changes'],
    succeeds: [
      {
        title: 'shows the effects of changes, and changes nothing',
        args: { changes: [untrack] },
        answers: ({ results, patch }: Simulation) => {
          assert.deepEqual(results, [{ message: 'success' }])
          assert.deepEqual(
            patch.map(({ part, table }) => [part, table]),
            [['tables', { schema: 'public', name: 'book_count' }]],
          )
        },
        then: [documentIs(library)],
      },
    ],
    refuses: [
      {
        title: 'a change that is refused',
        args: { changes: [untrack, untrack] },
        code: 'already-untracked',
        path: '$.args.changes[1].args',
        error: 'view/table already untracked : "book_count"',
      },
      {
        title: 'a request that is of no kind',
        args: { changes: [], ask: [{ session: {} }] },
        code: 'parse-failed',
        path: '$.args.ask[0]',
        error: 'expected either "graphql" or "operation"',
        fits: true,
      },
    ],
  },
]
