// Random mutations of random tables under random permissions. Each answer is compared with the rows in memory, and so
// are all rows and sequences of the database after each mutation. A failure names its seed, and TRELLIS_ORACLE_SEED
// repeats it. TRELLIS_ORACLE_SCHEMAS and TRELLIS_ORACLE_SCRIPTS set the length of a run; TRELLIS_ORACLE_COVERAGE=1
// prints the results.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'
import { prepare } from './deploy.ts'
import { hiddenRows } from './hidden-rows.ts'
import { drawMutationCase } from './mutations/case.ts'
import { MutationChecker } from './mutations/check.ts'
import { expectedEvents } from './mutations/events.ts'
import { simplerMutationCases } from './mutations/shrink.ts'
import { checkProperty, setting } from './property.ts'

/** This many answers must cover everything; fewer may not. */
const manyAnswers = 20_000

test('random mutations return and change the rows that the interface defines', async (t) => {
  const trellis = await startTrellis(t, { plugins: [hiddenRows] })
  await prepare(trellis)
  const checker = new MutationChecker(trellis)
  const seed = await checkProperty({
    runs: setting('SCHEMAS', 10),
    make: (draw) => drawMutationCase(draw, setting('SCRIPTS', 4), 8),
    simpler: simplerMutationCases,
    check: (value, isSimplified) => checker.check(value, isSimplified),
  })
  const { compared, undetermined, coverage } = checker
  t.diagnostic(`seed ${seed}: ${compared} answers compared, ${undetermined} not determined`)
  if (setting('COVERAGE', 0) > 0) for (const [event, times] of coverage.events) t.diagnostic(`${event}: ${times}`)
  assert.ok(undetermined < compared / 10, 'most answers are determined')
  if (compared >= manyAnswers) {
    const missing = expectedEvents.filter((event) => !coverage.events.has(event))
    assert.deepEqual(missing, [])
  }
})
