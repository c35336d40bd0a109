// Values that plugins give the engine: as variables of requests that they run, in sessions, and as texts of their types.
// A program has more kinds of them than JSON has, and in plain JavaScript no compiler says so.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assumedSession, definePlugin, type Engine, type Plugin } from '../../sdk/index.ts'
import { startTrellis } from '../support/trellis.ts'

/** A plugin, and the engine that it was given. */
function keeper(register: (engine: Engine) => void = () => {}): { plugin: Plugin; engine: () => Engine } {
  let kept: Engine | undefined
  const plugin = definePlugin({
    name: 'mine',
    dependencies: ['graphql'],
    register(engine) {
      kept = engine
      register(engine)
    },
  })
  return { plugin, engine: () => kept! }
}

test('variables that JSON does not have are refused where they stand', async (t) => {
  const { plugin, engine } = keeper()
  const sql = 'create table ship (id int primary key, tonnage float8, built int8, cost numeric, log jsonb)'
  const trellis = await startTrellis(t, { plugins: [plugin], sql })
  await trellis.op('track_table', 'ship')
  const asAdmin = assumedSession({}, engine().dialect)
  const refusals = {
    id: [
      ['Int', Number('x'), 'expected a 32-bit integer for type "Int", but found NaN'],
      ['Int', 10n, 'expected a 32-bit integer for type "Int", but found a bigint'],
    ],
    tonnage: [['float8', Infinity, 'parsing Scientific failed, expected Number, but encountered Infinity']],
    built: [
      ['bigint', Number.NaN, 'parsing Int64 failed, expected Number, but encountered NaN'],
      ['bigint', 10n, 'parsing Int64 failed, expected Number, but encountered a bigint'],
    ],
    cost: [['numeric', -Infinity, 'parsing Scientific failed, expected Number, but encountered -Infinity']],
    log: [
      ['jsonb', 10n, 'the value for type jsonb is none that JSON has'],
      ['jsonb', { at: 10n }, 'the value for type jsonb is none that JSON has'],
      ['jsonb', () => 1, 'the value for type jsonb is none that JSON has'],
      ['jsonb', Symbol('log'), 'the value for type jsonb is none that JSON has'],
    ],
  } as const
  for (const [column, cases] of Object.entries(refusals)) {
    for (const [type, given, message] of cases) {
      const query = `query ($given: ${type}!) { ship(where: {${column}: {_eq: $given}}) { id } }`
      const request = { query, operationName: null, variables: { given } }
      const path = ['selectionSet', 'ship', 'args', 'where', column, '_eq']
      const run = engine().graphql.engine.execute(request, asAdmin, { headers: {} })
      await assert.rejects(run, { status: 400, message, path })
    }
  }
})
