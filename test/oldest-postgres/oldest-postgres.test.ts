// Tests that run again on the oldest supported PostgreSQL: those that read much of its catalog, and those with other
// statements there.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { packageName } from '../../process/embedded/embedded-binaries.ts'
import { linkLibraries } from '../../process/embedded/linked-libraries.ts'
import { templateVariable, urlVariable } from '../../sdk/testing/postgres.ts'
import { atEnd } from '../support/cleanup.ts'
import { installProject } from '../support/installed-project.ts'
import { makePostgres } from '../support/own-postgres.ts'
import { withTemplate } from '../support/postgres.ts'
import { temporaryDirectory } from '../support/process.ts'
import { writeEntries } from '../support/shared-processes.ts'

const directory = import.meta.dirname

/** Few, since each costs a continuous run some seconds; random requests show the most. */
const files = [
  'catalog/introspect',
  'catalog/promises',
  'compiler/exists-forms',
  'event-triggers/capture',
  'graphql/column-grants',
  'graphql/database-errors',
  'graphql/rules',
  'graphql/types-elsewhere',
  'metadata/inconsistencies',
  'oracle/mutations',
  'oracle/queries',
  'scheduled/delivery',
  'subscriptions/streaming',
]

test('features of the database work on the oldest supported version', async (t) => {
  await installProject(directory)
  const installed = join(directory, 'node_modules', packageName)
  assert.ok(existsSync(installed), `${packageName} is not installed`)
  linkLibraries(installed, packageName)
  const parameters = { synchronous_commit: 'off', full_page_writes: 'off' }
  const postgres = await makePostgres({ programs: join(installed, 'native/bin'), parameters })
  atEnd(t, () => postgres.remove())
  await postgres.start()
  const { url, template } = await withTemplate({ url: postgres.url, stop: async () => {} })
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env
  const paths = files.map((file) => join(directory, '..', `${file}.test.ts`))
  // Each process would load the engine.
  const entries = writeEntries([paths], temporaryDirectory(t))
  const hooks = new URL('../support/runner-hooks.ts', import.meta.url).href
  const args = ['--import', hooks, '--test', '--test-reporter=spec', ...entries.keys()]
  const child = spawn(process.execPath, args, {
    env: { ...environment, [urlVariable]: url, [templateVariable]: template, TRELLIS_ORACLE_SCHEMAS: '3' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  atEnd(t, () => void child.kill())
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const [, passed = '0'] = /^ℹ pass (\d+)$/m.exec(output) ?? []
  assert.equal(code, 0, output.slice(output.indexOf('failing tests')))
  t.diagnostic(`${passed} tests`)
  assert.ok(Number(passed) > files.length)
})
