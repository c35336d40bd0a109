// Random queries over random tables under random permissions, each answer compared with what the specification makes of
// the rows in memory. The words of a failure name the seed: TRELLIS_ORACLE_SEED repeats it, TRELLIS_ORACLE_SCHEMAS and
// TRELLIS_ORACLE_QUERIES make a run longer or shorter.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { startTrellis } from '../support/trellis.ts'
import { type Case, CaseArbitrary } from './case.ts'
import { Checker } from './check.ts'

const setting = (name: string, otherwise: number): number => Number(process.env[`TRELLIS_ORACLE_${name}`] ?? otherwise)

/** Milliseconds after a failure in which a simpler one is looked for. */
const shrinkMillis = 60_000

test('Random queries get the answers that the specification derives from the rows.', async (t) => {
  const trellis = await startTrellis(t)
  const [{ name }] = (await trellis.sql('select current_database() as name')) as [{ name: string }]
  await trellis.sql(`alter database "${name}" set timezone to 'UTC'`)
  const checker = new Checker(trellis)
  const seed = setting('SEED', Date.now() % 2 ** 31)
  let deadline = Number.POSITIVE_INFINITY
  const property = fc.asyncProperty(new CaseArbitrary(setting('QUERIES', 45)), async (asked: Case) => {
    if (Date.now() > deadline) return
    try {
      await checker.check(asked)
    } catch (error) {
      deadline = Math.min(deadline, Date.now() + shrinkMillis)
      throw error
    }
  })
  const result = await fc.check(property, { seed, numRuns: setting('SCHEMAS', 25) })
  if (result.failed) {
    const cause = result.errorInstance as Error
    assert.fail(
      `TRELLIS_ORACLE_SEED=${seed}, run ${result.numRuns}, ${result.numShrinks} times simplified:\n${cause.message}`,
    )
  }
  t.diagnostic(`seed ${seed}: ${checker.compared} answers compared, ${checker.undetermined} not determined`)
  assert.ok(checker.undetermined < checker.compared / 10, 'most answers are determined')
})
