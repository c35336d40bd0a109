// Every comparison operator with every type, in requests and in permissions: each must let some rows through and keep
// others back, and the answers must say so. TRELLIS_ORACLE_SEED repeats the values, TRELLIS_ORACLE_ROUNDS draws them
// several times, TRELLIS_ORACLE_COVERAGE=1 tells how often each operator was used.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'
import { Checker } from './check.ts'
import { prepare } from './deploy.ts'
import { drawOperatorCase } from './every-operator.ts'
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
  t.diagnostic(`seed ${seed}: ${checker.compared} answers compared`)
  if (setting('COVERAGE', 0) > 0)
    for (const origin of origins) for (const line of checker.coverage.lines(origin)) t.diagnostic(line)
  assert.equal(checker.undetermined, 0)
  assert.deepEqual(
    origins.flatMap((origin) => checker.coverage.missing(origin)),
    [],
  )
})
