// Requests, the answers to them and the SQL behind them, as recorded in the folders beside this file: see README.md.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import test from 'node:test'
import { type Case, parseCase, printCase } from './harness/case-file.ts'
import { runCase } from './harness/run-case.ts'
import { type GoldenServer, startFixture } from './harness/server.ts'
import { readSubjects } from './harness/subjects.ts'

/** The oldest PostgreSQL that gets the recorded statements. */
const versionOfRecordings = 18

const isWriting = process.env['TRELLIS_GOLDEN'] === 'write'
if (isWriting && process.env['CI']) throw new Error('recordings are written by a person, who reads them, not by CI')

const words = (process.env['TRELLIS_GOLDEN_CASES'] ?? '').split(/[\s,]+/).filter((word) => word !== '')

const { groups, problems } = readSubjects(words)

test('golden: every file belongs to a case', () => assert.deepEqual(problems, []))

for (const { fixture, directory, settings, subjects } of groups) {
  const [first] = Object.keys(settings)
  test(`golden: ${fixture}${first === undefined ? '' : ` with ${Object.keys(settings).join(', ')}`}`, async (t) => {
    const server = await startFixture(t, { directory, settings })
    for (const { name: subject, cases } of subjects) {
      for (const [name, path] of cases) await t.test(`${subject}/${name}`, () => check(server, path))
    }
  })
}

/** Compares a case with its recording, or records it. */
async function check(server: GoldenServer, path: string): Promise<void> {
  const text = readFileSync(path, 'utf8')
  const given = parseCase(text)
  const ran = await runCase(server, given)
  if (isWriting) {
    if (printCase(ran) !== text) writeFileSync(path, printCase(ran))
    return
  }
  const unrecorded = given.steps.findIndex(({ recorded }) => recorded.length === 0)
  assert.equal(unrecorded, -1, `step ${unrecorded + 1} has no recording: npm run golden makes it`)
  if (server.version >= versionOfRecordings) assert.equal(printCase(ran), text)
  else assert.equal(printCase(withoutSql(ran)), printCase(withoutSql(given)))
}

/** Without the statements, which differ on older versions. */
const withoutSql = ({ title, steps }: Case): Case => ({
  title,
  steps: steps.map((step) => ({ ...step, recorded: step.recorded.filter(({ heading }) => heading !== 'sql') })),
})
