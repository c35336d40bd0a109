// Lists of requests beside `bulk`.

import type { Area } from './entry.ts'

const ok = { message: 'success' }
const track = { type: 'track_table', args: { table: 'genre' } }
const untrack = { type: 'untrack_table', args: { table: 'genre' } }

export const batches: Area = {
  title: 'lists of requests',
  operations: [
    {
      type: 'bulk_keep_going',
      anyRole: true,
      ownWords: ['$[0]'],
      succeeds: [
        { title: 'runs requests in order', args: [track, untrack], answers: [ok, ok] },
        {
          title: 'goes on after a request that fails',
          args: [untrack, track],
          answers: [
            { path: '$.args[0].args', error: 'view/table already untracked : "genre"', code: 'already-untracked' },
            ok,
          ],
        },
      ],
      refuses: [],
    },
    {
      type: 'bulk_atomic',
      anyRole: true,
      ownWords: ['$[0]'],
      succeeds: [{ title: 'runs requests in order', args: [track, untrack] }],
      refuses: [
        {
          title: 'all, if one fails',
          args: [track, track],
          code: 'already-tracked',
          path: '$.args[1].args',
          error: 'view/table already tracked : "genre"',
        },
      ],
    },
    {
      type: 'concurrent_bulk',
      anyRole: true,
      ownWords: ['$[0]'],
      succeeds: [
        { title: 'answers with nothing for nothing', args: [], answers: [] },
        {
          title: 'runs requests that read',
          args: [{ type: 'run_sql', args: { sql: 'select 1 as one', read_only: true } }],
          answers: [{ result_type: 'TuplesOk', result: [['one'], ['1']] }],
        },
      ],
      refuses: [
        {
          title: 'a request that changes something',
          args: [track],
          status: 500,
          code: 'unexpected',
          error: 'Only read-only queries are allowed in a concurrent_bulk',
        },
      ],
    },
  ],
}
