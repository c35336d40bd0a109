// Every comparison operator with every type, in requests and in permissions: each must let some rows through and keep
// others back, and the answers must say so. Likewise every operator of updates. TRELLIS_ORACLE_SEED repeats the values,
// TRELLIS_ORACLE_ROUNDS draws them several times, TRELLIS_ORACLE_COVERAGE=1 tells how often each operator was used.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'
import { Checker } from './check.ts'
import { prepare } from './deploy.ts'
import { drawOperatorCase } from './every-operator.ts'
import { MutationChecker } from './mutations/check.ts'
import { drawChangeCase, expectedChanges } from './mutations/every-change.ts'
import { simplerMutationCases } from './mutations/shrink.ts'
import { checkProperty, setting } from './property.ts'
import { simplerCases } from './shrink.ts'

const origins = ['request', 'permission'] as const

test('Every operator lets rows of every type through and keeps others back.', async (t) => {
  const trellis = await startTrellis(t)
  await prepare(trellis)
  const checker = new Checker(trellis)
  const seed = await checkProperty({
    runs: setting('ROUNDS', 1),
    make: (draw) => ({ ...drawOperatorCase(draw), probes: [] }),
    simpler: simplerCases,
    check: (value, isSimplified) => checker.check(value, isSimplified),
  })
  const { compared, undetermined, coverage } = checker
  t.diagnostic(`seed ${seed}: ${compared} answers compared`)
  if (setting('COVERAGE', 0) > 0) {
    for (const line of origins.flatMap((origin) => coverage.lines(origin))) t.diagnostic(line)
  }
  assert.equal(undetermined, 0)
  const missing = origins.flatMap((origin) => coverage.missing(origin))
  assert.deepEqual(missing, [])
})

test('Every operator of updates changes values of every type that it works on.', async (t) => {
  const trellis = await startTrellis(t)
  await prepare(trellis)
  const checker = new MutationChecker(trellis)
  const seed = await checkProperty({
    runs: setting('ROUNDS', 1),
    make: drawChangeCase,
    simpler: simplerMutationCases,
    check: (value, isSimplified) => checker.check(value, isSimplified),
  })
  const { compared, coverage } = checker
  t.diagnostic(`seed ${seed}: ${compared} answers compared`)
  const missing = expectedChanges.filter((event) => !coverage.events.has(event))
  assert.deepEqual(missing, [])
})
