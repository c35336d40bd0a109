// `npm test`: runs all test files on one PostgreSQL, several processes at a time. `npm test -- AREA` runs the files whose path
// contains one of the words. The slowest files are listed at the end; SLOWEST=25 lists 25 of them.

import { globSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { installClients } from './clients/install.ts'
import { makeTemporaryDirectory, sharePostgres, startTestPostgres } from './support/postgres.ts'
import { groupFiles, writeEntries } from './support/shared-processes.ts'

const directory = import.meta.dirname
const words = process.argv.slice(2)

const files = globSync('**/*.test.ts', { cwd: directory, exclude: ['**/node_modules/**'] })
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort()
  .map((file) => join(directory, file))

if (files.length === 0) {
  console.error(`No test file matches ${words.join(' ')}`)
  process.exit(1)
}

// Concurrent files would install them at once.
if (files.some((file) => file.startsWith(join(directory, 'clients')))) await installClients()

// Each process loads the engine; the cache saves two thirds of that time.
process.env['NODE_COMPILE_CACHE'] ??= join(directory, '../node_modules/.cache/trellis/compile')

const postgres = await startTestPostgres()
sharePostgres(postgres)
const entryDirectory = makeTemporaryDirectory()
process.once('exit', () => rmSync(entryDirectory, { recursive: true, force: true }))
const groups = writeEntries(groupFiles(files), entryDirectory)
// The exit handler of the test PostgreSQL stops it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** Processes at a time, for each processor: a test waits for half of its time, for servers that start or for its own timers. */
const concurrency = Math.min(3 * availableParallelism(), 12)

/** Minutes until a test counts as hanging; a soak may take a day. */
const longestMinutes = process.env['SOAK'] ? 24 * 60 : 10

let executed = 0
let failed = 0
/** Milliseconds of the tests of each file. */
const spent = new Map<string, number>()
const execArgv = ['--import', new URL('support/runner-hooks.ts', import.meta.url).href]
const stream = run({ files: [...groups.keys()], concurrency, execArgv })
/** Paths of the processes that have begun and not ended; a process is a test of the runner's own. */
const begun = new Set<string>()
stream.on('test:dequeue', ({ name }) => {
  if (groups.has(name)) begun.add(name)
})
stream.on('test:complete', ({ name }) => begun.delete(name))
stream.on('test:summary', ({ success }) => {
  // An uncaught error belongs to no test.
  if (!success) failed++
})
/** A hanging test fails the run; the runner's own timeout does not end the process of a file. */
const timeout = setTimeout(() => {
  const files = [...begun].flatMap((entry) => groups.get(entry) ?? []).map((file) => relative(directory, file))
  console.error(`No test ended for ${longestMinutes} minutes. These files run: ${files.join(', ')}`)
  process.exit(1)
}, longestMinutes * 60_000)
stream.on('data', () => timeout.refresh())
stream.on('test:pass', ({ details, file = '', nesting }) => {
  if (details.type !== 'suite') executed++
  if (nesting === 0) spent.set(file, (spent.get(file) ?? 0) + details.duration_ms)
})
stream.on('test:fail', () => failed++)
stream.compose(spec).pipe(process.stdout)
await new Promise((done) => stream.once('end', done))
clearTimeout(timeout)

await postgres.stop()
if (files.length > 1) {
  const count = Number(process.env['SLOWEST'] ?? 10)
  const slowest = [...spent].sort(([, one], [, other]) => other - one).slice(0, count)
  const lines = slowest.map(
    ([file, millis]) => `${(millis / 1000).toFixed(1).padStart(7)} s  ${relative(directory, file)}`,
  )
  console.error(`Slowest files:\n${lines.join('\n')}`)
}
if (executed === 0) console.error('No test ran')
process.exitCode = failed > 0 || executed === 0 ? 1 : 0
