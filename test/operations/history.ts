// Reviewing the metadata: its history, simulations, and the schemas of roles.

import assert from 'node:assert/strict'
import { empty, library } from './documents.ts'
import { documentIs } from './effects.ts'
import type { Area } from './entry.ts'
import { roleSchemas } from './role-schemas.ts'
import { simulations } from './simulate.ts'

const untrack = { type: 'untrack_table', args: { table: 'book_count' } }
const comment = (text: string) => ({
  type: 'set_permission_comment',
  args: { table: 'book', role: 'reader', permission: 'select', comment: text },
})

interface History {
  readonly versions: readonly {
    readonly version: number
    readonly by: object
    readonly operations: readonly string[]
    readonly patch: readonly object[]
  }[]
  readonly next: number | null
}

const bookCount = { part: 'tables', table: { schema: 'public', name: 'book_count' } }

export const history: Area = {
  title: 'the history of the metadata, simulations and the schemas of roles',
  operations: [
    {
      type: 'get_metadata_history',
      succeeds: [
        {
          title: 'answers with the newest changes first',
          given: [untrack],
          args: { limit: 1 },
          answers: ({ versions, next }: History) => {
            const [{ version, operations, patch } = versions[0]!] = versions
            assert.deepEqual([version, operations, next], [2, ['untrack_table'], 2])
            assert.deepEqual(patch, [{ ...bookCount, before: { table: bookCount.table } }])
          },
        },
        {
          title: 'answers with the versions that changed an object',
          given: [untrack, comment('seen')],
          args: { object: { table: 'book_count' }, before: 3 },
          answers: ({ versions, next }: History) =>
            assert.deepEqual([versions.map(({ version }) => version), next], [[2, 1], null]),
        },
      ],
      refuses: [
        {
          title: 'a page without rows',
          args: { limit: 0 },
          code: 'parse-failed',
          path: '$.limit',
          error: '0 is out of range',
        },
        {
          title: 'a page that is too large',
          args: { limit: 201 },
          code: 'parse-failed',
          path: '$.limit',
          error: '201 is out of range',
        },
      ],
    },
    {
      type: 'revert_metadata',
      requires: ['version'],
      succeeds: [
        { title: 'undoes the changes of a version', args: { version: 1 }, then: [documentIs(empty)] },
        {
          title: 'undoes one change after another',
          given: [untrack, comment('seen'), { type: 'revert_metadata', args: { version: 3 } }],
          args: { version: 2 },
          then: [documentIs(library)],
        },
      ],
      refuses: [
        {
          title: 'a version that changed nothing',
          args: { version: 77 },
          code: 'not-exists',
          path: '$.args.version',
          error: 'the history of the metadata has no version 77',
          fits: true,
        },
        {
          title: 'a version whose parts were changed later',
          given: [comment('seen'), comment('seen again')],
          args: { version: 2 },
          status: 409,
          code: 'conflict',
          path: '$.args.version',
          error: 'later edits have changed parts of version 2: tables book select_permissions reader',
        },
        {
          title: 'a version without which something becomes inconsistent',
          given: [untrack, 'drop view book_count'],
          args: { version: 2 },
          code: 'unexpected',
          error: 'cannot continue due to new inconsistent metadata',
        },
      ],
    },
    ...roleSchemas,
    ...simulations,
  ],
}
