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
      type: 'get_catalog_state',
      version: 2,
      succeeds: [
        {
          title: 'answers with the version of each state',
          given: [{ type: 'set_catalog_state', args: { type: 'cli', state: [1], version: null } }],
          args: {},
          answers: ({ id: _, ...states }: { id: string }) => {
            const version = '35dba5d75538a9bbe0b4da4422759a0e'
            assert.deepEqual(states, { cli: { state: [1], version }, console: { state: {}, version: null } })
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
          title: 'replaces the version that it was made from',
          given: [{ type: 'set_catalog_state', args: { type: 'cli', state: [1] } }],
          args: { type: 'cli', state: [2], version: '35dba5d75538a9bbe0b4da4422759a0e' },
          then: [stateIs({ cli_state: [2], console_state: {} })],
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
          title: 'a state that was made from another version',
          given: [{ type: 'set_catalog_state', args: { type: 'cli', state: [1] } }],
          args: { type: 'cli', state: [2], version: 'older' },
          ...{ status: 409, code: 'conflict', error: 'the state of "cli" has another version: read it again' },
        },
        {
          title: 'a first state where there is one',
          given: [{ type: 'set_catalog_state', args: { type: 'cli', state: [1] } }],
          args: { type: 'cli', state: [2], version: null },
          ...{ status: 409, code: 'conflict', error: 'the state of "cli" has another version: read it again' },
        },
        {
          title: 'a state that is too large',
          args: { type: 'cli', state: 'x'.repeat(1_048_576) },
          code: 'not-supported',
          path: '$.args.state',
          error: 'a state has at most 1048576 bytes',
        },
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
