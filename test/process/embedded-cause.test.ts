// The reason why PostgreSQL could not be created or started, in the output of its programs.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causeIn } from '../../process/embedded/cluster-checks.ts'

test('a full disk is the reported cause, not the failed undo on it', () => {
  const output = `
creating configuration files ... ok
running bootstrap script ... 2026-11-25 22:25:52.686 UTC [14434] FATAL:  could not extend file "base/1/2691": No space left on device
2026-11-25 22:25:52.686 UTC [14434] HINT:  Check free disk space.
2026-11-25 22:25:52.686 UTC [14434] PANIC:  cannot abort transaction 1, it was already committed
Aborted
child process exited with exit code 134
initdb: removing data directory "/data/postgres"
`
  assert.equal(causeIn(output), 'could not extend file "base/1/2691": No space left on device')
})

test('errors of clients during the start are not its cause', () => {
  const output = `
2026-11-25 22:25:52.686 UTC [71] LOG:  starting PostgreSQL 18
2026-11-25 22:25:52.701 UTC [75] FATAL:  the database system is starting up
2026-11-25 22:25:52.702 UTC [74] PANIC:  could not locate a valid checkpoint record at 0/4D6C1C0
2026-11-25 22:25:52.730 UTC [71] LOG:  startup process (PID 74) was terminated by signal 6: Aborted
`
  assert.equal(causeIn(output), 'could not locate a valid checkpoint record at 0/4D6C1C0')
})

test('without a line about an error, the last line is the cause', () => {
  assert.equal(causeIn('one\ninitdb: out of luck\n\n'), 'initdb: out of luck')
  assert.equal(causeIn('\n'), 'it said nothing')
})
