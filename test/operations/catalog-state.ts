// State that tools store.

import assert from 'node:assert/strict'
import type { Area, Effect } from './entry.ts'

interface State {
  readonly id: string
  readonly cli_state: unknown
  readonly console_state: unknown
}

const stateIs =
  (expected: Pick<State, 'cli_state' | 'console_state'>): Effect =>
  async ({ op }) => {
    const { id: _, ...states } = await op<State>('get_catalog_state', {})
    assert.deepEqual(states, expected)
  }

export const catalogState: Area = {
  title: 'what tools store',
  operations: [
    {
      type: 'get_catalog_state',
      succeeds: [
        {
          title: 'answers with the identity of the installation and empty states',
          args: {},
          answers: ({ id, ...states }: State) => {
            assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
            assert.deepEqual(states, { cli_state: {}, console_state: {} })
          },
        },
      ],
      refuses: [],
    },
    {
      type: 'set_catalog_state',
      requires: ['type', 'state'],
      succeeds: [
        {
          title: 'keeps the state of a tool',
          args: { type: 'console', state: { seen: [1, 2], last: null } },
          then: [stateIs({ cli_state: {}, console_state: { seen: [1, 2], last: null } })],
        },
        {
          title: 'replaces it whole, by any JSON',
          given: [{ type: 'set_catalog_state', args: { type: 'cli', state: { old: true } } }],
          args: { type: 'cli', state: null },
          then: [stateIs({ cli_state: null, console_state: {} })],
        },
      ],
      refuses: [
        {
          title: 'a tool that there is not',
          args: { type: 'editor', state: {} },
          code: 'parse-failed',
          path: '$.type',
          error: "expected one of 'cli', 'console'",
        },
      ],
    },
  ],
}
