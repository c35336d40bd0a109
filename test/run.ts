// `npm test`: every test file, a process each, three at a time, over one PostgreSQL. Words on the command line choose the
// files whose path holds one of them; SLOWEST=25 tells which 25 files took longest.

import { globSync } from 'node:fs'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { installClients } from './clients/install.ts'
import { sharePostgres, startTestPostgres } from './support/postgres.ts'

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

// Before files that run side by side do it.
if (files.some((file) => file.startsWith(join(directory, 'clients')))) await installClients()

// Each file is a process that loads the engine: two thirds of that are spared.
process.env['NODE_COMPILE_CACHE'] ??= join(directory, '../node_modules/.cache/trellis/compile')

const postgres = await startTestPostgres()
sharePostgres(postgres)
// The exit handler of the PostgreSQL of the tests ends it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** Minutes that a test may take; a soak takes as long as it takes. */
const longestMinutes = process.env['SOAK'] ? 24 * 60 : 10

let executed = 0
let failed = 0
/** Milliseconds of the tests of each file. */
const spent = new Map<string, number>()
const stream = run({ files, concurrency: 3 })
const unfinished = new Set(files)
stream.on('test:summary', ({ file }) => void unfinished.delete(file ?? ''))
/** A test that hangs fails the run; the runner's own limit does not end a file's process. */
const patience = setTimeout(() => {
  console.error(`No test ended for ${longestMinutes} minutes: ${[...unfinished].join(', ')}`)
  process.exit(1)
}, longestMinutes * 60_000)
stream.on('data', () => patience.refresh())
stream.on('test:pass', ({ details, file = '', nesting }) => {
  if (details.type !== 'suite') executed++
  if (nesting === 0) spent.set(file, (spent.get(file) ?? 0) + details.duration_ms)
})
stream.on('test:fail', () => failed++)
stream.compose(spec).pipe(process.stdout)
await new Promise((done) => stream.once('end', done))
clearTimeout(patience)

await postgres.stop()
if (process.env['SLOWEST']) {
  const slowest = [...spent].sort(([, one], [, other]) => other - one).slice(0, Number(process.env['SLOWEST']))
  const lines = slowest.map(
    ([file, millis]) => `${(millis / 1000).toFixed(1).padStart(7)} s  ${relative(directory, file)}`,
  )
  console.log(`Files that took longest:\n${lines.join('\n')}`)
}
if (executed === 0) console.error('No test ran')
process.exitCode = failed > 0 || executed === 0 ? 1 : 0
