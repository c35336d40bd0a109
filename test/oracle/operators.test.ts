// Every comparison operator with every type, in requests and in permissions: each must accept some rows and reject
// others, and the answers must show it. The same holds for every update operator. TRELLIS_ORACLE_SEED repeats the
// values, TRELLIS_ORACLE_ROUNDS draws them several times, and TRELLIS_ORACLE_COVERAGE=1 prints how often each operator
// was used.

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

/** Maximum number of draws while an operator has neither distinguished nor changed any values. */
const mostDraws = 6

/** Checks until nothing is missing; returns the operators that are still missing. */
async function untilCovered(check: (before: number) => Promise<readonly string[]>): Promise<readonly string[]> {
  for (let before = 0; ; before++) {
    const missing = await check(before)
    if (missing.length === 0 || before + 1 === mostDraws) return missing
  }
}

test('every operator accepts some rows of every type and rejects others', async (t) => {
  const trellis = await startTrellis(t)
  await prepare(trellis)
  const checker = new Checker(trellis)
  const { coverage } = checker
  const missing = await untilCovered(async (before) => {
    const seed = await checkProperty({
      runs: setting('ROUNDS', 1),
      before,
      make: (draw) => ({ ...drawOperatorCase(draw), probes: [] }),
      simpler: simplerCases,
      check: (value, isSimplified) => checker.check(value, isSimplified),
    })
    t.diagnostic(`seed ${seed}: ${checker.compared} answers compared`)
    return origins.flatMap((origin) => coverage.missing(origin))
  })
  if (setting('COVERAGE', 0) > 0) {
    for (const line of origins.flatMap((origin) => coverage.lines(origin))) t.diagnostic(line)
  }
  assert.equal(checker.undetermined, 0)
  assert.deepEqual(missing, [])
})

test('every operator of updates changes values of every type that it works on', async (t) => {
  const trellis = await startTrellis(t)
  await prepare(trellis)
  const checker = new MutationChecker(trellis)
  const missing = await untilCovered(async (before) => {
    const seed = await checkProperty({
      runs: setting('ROUNDS', 1),
      before,
      make: drawChangeCase,
      simpler: simplerMutationCases,
      check: (value, isSimplified) => checker.check(value, isSimplified),
    })
    t.diagnostic(`seed ${seed}: ${checker.compared} answers compared`)
    return expectedChanges.filter((event) => !checker.coverage.events.has(event))
  })
  assert.deepEqual(missing, [])
})
