// The GraphQL schemas of roles.

import assert from 'node:assert/strict'
import type { OperationEntry } from './entry.ts'

const given = [
  { type: 'track_table', args: 'genre' },
  {
    type: 'create_select_permission',
    args: { table: 'genre', role: 'reader', permission: { columns: ['value'], filter: {} } },
  },
]

const genre = {
  path: 'genre',
  kind: 'type',
  name: 'genre',
  type: 'object',
  description: null,
}

export const roleSchemas: readonly OperationEntry[] = [
  {
    type: 'search_schema',
    requires: ['role', 'text'],
    succeeds: [
      {
        title: 'answers with the best matches',
        given,
        args: { role: 'reader', text: 'Genre', limit: 1 },
        answers: ({ matches: [{ description: _, ...match }], more }: { matches: [typeof genre]; more: boolean }) => {
          const { description: __, ...expected } = genre
          assert.deepEqual([match, more], [expected, true])
        },
      },
      {
        title: 'answers with nothing for a role without permissions',
        args: { role: 'stranger', text: 'genre' },
        answers: { matches: [], more: false },
      },
    ],
    refuses: [
      {
        title: 'too many matches',
        args: { role: 'reader', text: 'genre', limit: 201 },
        code: 'parse-failed',
        path: '$.limit',
        error: '201 is out of range',
      },
    ],
  },
  {
    type: 'get_role_schema',
    requires: ['role'],
    succeeds: [
      {
        title: 'answers with the SDL',
        given,
        args: { role: 'reader' },
        answers: ({ sdl, next }: { sdl: string; next: string | null }) => {
          assert.match(sdl, /^schema \{\n {2}query: query_root\n/)
          assert.match(sdl, /^type genre \{\n {2}value: String!\n\}$/m)
          assert.equal(next, null)
        },
      },
    ],
    refuses: [
      {
        title: 'a page after a type that there is not',
        args: { role: 'reader', after: 'crime' },
        code: 'not-exists',
        path: '$.args.after',
        error: 'the schema of the role has no such type',
        fits: true,
      },
    ],
  },
  {
    type: 'diff_role_schemas',
    requires: ['a', 'b'],
    succeeds: [
      {
        title: 'answers with the differences',
        given,
        args: { a: 'reader', b: 'stranger' },
        answers: ({ only_a: onlyA, only_b: onlyB }: { only_a: string[]; only_b: string[] }) => {
          assert.ok(onlyA.includes('genre'))
          assert.deepEqual(onlyB, ['query_root.no_queries_available', 'subscription_root.no_queries_available'])
        },
      },
      {
        title: 'answers with nothing for equal schemas',
        args: { a: 'reader', b: 'reader' },
        answers: { only_a: [], only_b: [], differing: [], more: false },
      },
    ],
    refuses: [
      {
        title: 'a role without a name',
        args: { a: 'reader', b: '' },
        code: 'parse-failed',
        path: '$.b',
        error: /./,
      },
    ],
  },
]
