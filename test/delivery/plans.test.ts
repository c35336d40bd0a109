// PostgreSQL's plans for claims and outcomes: it keeps them, whatever a ledger contained when they were made.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byIndexes, type Outcome, type ReceiverCaller, type Settled } from '../../plugins/delivery/index.ts'
import { claim, claimNext, record } from '../../plugins/event-triggers/ledger/ledger-statements.ts'
import { CronLedger, OneOffLedger } from '../../plugins/scheduled/ledger.ts'
import { startTrellis } from '../support/trellis.ts'

const outcome: Outcome = { id: 'x', attempt: null, state: 'delivered', delay: 0 }
const settled: Settled<never>[] = [{ item: { id: 'x', tries: 0, late: 0 } as never, outcome }]

test('ledgers that were empty when they were planned are read by their indexes', async (t) => {
  const { sql, engine } = await startTrellis(t, { settings: { eventsFetchBatchSize: 0 } })
  const texts = [claim, claimNext, record].map(({ text }) => text)
  const database = {
    rows: () => assert.fail(),
    texts: async (statement: { readonly text: string }, _values: unknown, options?: { readonly settings?: object }) => {
      assert.equal(options?.settings, byIndexes)
      texts.push(statement.text)
      return []
    },
  }
  const options = { database, caller: {} as ReceiverCaller, interval: () => 1000 }
  for (const ledger of [new CronLedger(options, () => engine.model), new OneOffLedger(options, () => undefined)]) {
    await ledger.claim(1)
    await ledger.record(settled)
  }
  assert.equal(texts.length, 7)
  const settings = Object.entries(byIndexes).map(([name, value]) => `set ${name} = ${value};`)
  for (const text of texts) {
    const lines = await sql(`${settings.join(' ')} explain (generic_plan, costs off) ${text}`)
    const plan = lines.map((line) => line['QUERY PLAN']).join('\n')
    assert.match(plan, /Index Scan using \w+_pkey/, plan)
    assert.doesNotMatch(plan, /Seq Scan|Bitmap|Hash Join|Merge Join/, plan)
  }
})
