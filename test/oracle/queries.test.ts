// Random queries over random tables under random permissions; each answer is compared with the rows in memory. A
// failure names its seed, and TRELLIS_ORACLE_SEED repeats it. TRELLIS_ORACLE_SCHEMAS and TRELLIS_ORACLE_QUERIES set the
// length of a run.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'
import { drawCase } from './case.ts'
import { Checker } from './check.ts'
import { prepare } from './deploy.ts'
import { hiddenRows } from './hidden-rows.ts'
import { checkProperty, setting } from './property.ts'
import { simplerCases } from './shrink.ts'

test('random queries get the answers that the interface defines for the rows', async (t) => {
  const trellis = await startTrellis(t, { plugins: [hiddenRows], settings: { enableApolloFederation: true } })
  await prepare(trellis)
  const checker = new Checker(trellis)
  const seed = await checkProperty({
    runs: setting('SCHEMAS', 15),
    make: (draw) => drawCase(draw, setting('QUERIES', 45)),
    simpler: simplerCases,
    check: (value, isSimplified) => checker.check(value, isSimplified),
  })
  const { compared, undetermined, refusedByEndpoints } = checker
  t.diagnostic(
    `seed ${seed}: ${compared} answers compared, ${undetermined} not determined, ${refusedByEndpoints} refused by endpoints`,
  )
  assert.ok(undetermined < compared / 10, 'most answers are determined')
})
