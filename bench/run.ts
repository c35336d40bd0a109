// `npm run bench`: starts servers and databases, prints measurements, and stops everything.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { measureConsole } from './console/console.ts'
import { consoleReport } from './console/console-report.ts'
import { measureCapture } from './events/capture.ts'
import { measureDeliveries } from './events/deliveries.ts'
import { measureHeld } from './events/held.ts'
import { measureEdits } from './metadata/metadata-edits.ts'
import { editsReport } from './metadata/metadata-edits-report.ts'
import { measureScale, type ScaleResult, scales } from './metadata/scale.ts'
import { measureNeighbours, neighbours } from './neighbours/neighbours.ts'
import { measureRemote } from './remote/remote.ts'
import { measureStitching } from './remote/stitching.ts'
import { stitchingReport } from './remote/stitching-report.ts'
import {
  besideSubscribersReport,
  captureReport,
  deliveriesReport,
  growthReport,
  heldReport,
  memoryReport,
  neighboursReport,
  plansReport,
  remoteReport,
  scaleReport,
  startReport,
  workloadReport,
} from './report.ts'
import { endpointName, measureEndpoint } from './requests/endpoint.ts'
import { hostileReport, measureHostile } from './requests/hostile.ts'
import { allWorkloads } from './requests/later-workloads.ts'
import { distinctDocument, distinctDocuments, measurePlans } from './requests/plans.ts'
import { measureStarts } from './requests/start.ts'
import { type Contender, compareAnswers, measureWorkload } from './requests/throughput.ts'
import { measureSubscribers, subscriberScenarios } from './subscribers/subscribers.ts'
import { measureBesideSubscribers } from './subscribers/subscribers-http.ts'
import { idleReport, measureIdleSubscribers } from './subscribers/subscribers-idle.ts'
import { keyedReport, measureKeyedSubscribers } from './subscribers/subscribers-keys.ts'
import { subscribersReport } from './subscribers/subscribers-report.ts'
import { chinookMetadata, loadChinook } from './support/chinook.ts'
import { type Database, makeDatabase, withDatabase } from './support/database.ts'
import { type Program, residentBytes, Scope, type Surroundings, startProgram } from './support/processes.ts'
import { ask, operate, startTrellis } from './support/trellis.ts'
import { measureWorkers, workersName } from './workers/workers.ts'

/** The names of the parts that can run alone. */
const names = [
  ...[...allWorkloads, ...neighbours].map(({ name }) => name),
  endpointName,
  'hostile',
  'memory',
  'plans',
  'remote',
  'stitching',
  'deliveries',
  'held',
  'capture',
  'subscribers',
  ...subscriberScenarios.map(({ name }) => name),
  'subscribers-http',
  'subscribers-idle',
  'subscribers-keys',
  'start',
  'scale',
  'metadata-edits',
  'console',
  workersName,
]

const usage = `Usage: npm run bench -- [--only NAMES] [--rounds N] [--seconds N] [--data-dir DIR]
  --only NAMES    of ${names.join(', ')}; without it all
  --rounds N      rounds per server and workload (5)
  --seconds N     length of a round (2)
  --data-dir DIR  keeps the database there for the next run; without it everything is removed
`

const concurrency = 16
const startTimes = 5

interface Options {
  readonly isWanted: (name: string) => boolean
  readonly rounds: number
  readonly seconds: number
  readonly dataDir: string | null
}

/** Reads the command line; null: print the usage. */
function readOptions(): Options | null {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      'data-dir': { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return null
  const only = values.only?.toLowerCase().split(',')
  const known = names.map((name) => name.toLowerCase())
  const unknown = only?.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`there is no "${unknown}": --only takes ${names.join(', ')}`)
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
  if (!(rounds >= 1 && seconds > 0)) throw new Error('--rounds and --seconds take positive numbers')
  return {
    isWanted: (name) => only?.includes(name.toLowerCase()) ?? true,
    rounds,
    seconds,
    dataDir: values['data-dir'] ?? null,
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** An empty directory: it contains no configuration file. */
function makeDirectory(scope: Scope): string {
  const directory = mkdtempSync(join(tmpdir(), 'trellis-bench-'))
  // PostgreSQL does not run as root, so its user must be able to enter the directory.
  chmodSync(directory, 0o755)
  scope.defer(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const limitFile = new URL('./requests/limit-server.ts', import.meta.url)

async function startLimit(
  name: string,
  variant: 'pool' | 'pipelined',
  databaseUrl: string,
  surroundings: Surroundings,
): Promise<Contender & Program> {
  const program = startProgram(limitFile, [variant, databaseUrl], surroundings, 'ipc')
  const port = await new Promise<number>((listening, failed) => {
    program.child.once('message', (message) => listening(message as number))
    program.child.once('exit', () => failed(new Error(`the limit ended: ${program.errors()}`)))
  })
  return { ...program, name, port, pathOf: (workload) => `/${workload.name}` }
}

async function measureThroughput(options: Options, { url, postmaster }: Database, surroundings: Surroundings) {
  const wanted = allWorkloads.filter(({ name }) => options.isWanted(name))
  if (wanted.length === 0 && !options.isWanted('memory') && !options.isWanted(endpointName)) return
  const trellis = await startTrellis(['--database-url', url], surroundings)
  await operate(trellis.port, 'replace_metadata', chinookMetadata)
  const contenders = [
    await startLimit('limit: pool of 16', 'pool', url, surroundings),
    await startLimit('3 pipelined', 'pipelined', url, surroundings),
    { ...trellis, name: 'Trellis', pathOf: () => '/v1/graphql' },
  ]
  const { rounds, seconds } = options
  print(
    `Concurrency ${concurrency} where nothing else is said, ${rounds} rounds of ${seconds} s after warm-up, medians, ${cpus().length} CPUs\n`,
  )
  const settings = { connections: concurrency, rounds, seconds, postmaster }
  for (const workload of wanted) {
    await compareAnswers(workload, contenders)
    print(`${workloadReport(workload, await measureWorkload(workload, contenders, settings))}\n`)
  }
  if (options.isWanted(endpointName)) print(`${await measureEndpoint(trellis, settings)}\n`)
  if (options.isWanted('memory')) await askDistinctDocuments(trellis.port)
  print(`${memoryReport(residentBytes(trellis.pid))}\n`)
  for (const { stop } of contenders) await stop()
}

/** Runs each document of three levels once, so that the caches are full. */
async function askDistinctDocuments(port: number): Promise<void> {
  let next = 0
  const work = async () => {
    for (let index = next++; index < distinctDocuments; index = next++) {
      await ask(port, { path: '/v1/graphql', body: { query: distinctDocument(index), variables: { after: index } } })
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
}

/** The metadata of the first query after a start. */
async function storeMetadata(databaseUrl: string, surroundings: Surroundings): Promise<void> {
  const trellis = await startTrellis(['--database-url', databaseUrl], surroundings)
  await operate(trellis.port, 'replace_metadata', chinookMetadata)
  await trellis.stop()
}

async function measureScales(serverUrl: string, surroundings: Surroundings): Promise<void> {
  const compared: ScaleResult[] = []
  for (const scale of scales) {
    const databaseUrl = await makeDatabase(serverUrl, `scale_${scale.tables}_${scale.roles}`)
    const result = await measureScale(scale, databaseUrl, surroundings)
    print(`${scaleReport(result)}\n`)
    if (!scale.targets) compared.push(result)
  }
  print(`${growthReport(compared)}\n`)
}

async function run(options: Options, scope: Scope): Promise<void> {
  const directory = makeDirectory(scope)
  const surroundings = { directory, scope }
  const dataDir = resolve(options.dataDir ?? join(directory, 'data'))
  await withDatabase(dataDir, scope, async (database) => {
    print('Chinook with 500,000 tracks is being made ready')
    await loadChinook(database.url)
    await measureThroughput(options, database, surroundings)
    const rows = neighbours.filter(({ name }) => options.isWanted(name))
    if (rows.length > 0) {
      print(`${neighboursReport(await measureNeighbours(rows, options.rounds, database.url, surroundings))}\n`)
    }
    if (options.isWanted('hostile')) {
      print(`${hostileReport(await measureHostile(database.url, options.rounds, surroundings))}\n`)
    }
    if (options.isWanted('plans')) print(`${plansReport(await measurePlans(database.url))}\n`)
    if (options.isWanted('remote')) {
      const { rounds, seconds } = options
      print(
        `${remoteReport(await measureRemote(database.url, { rounds, seconds, connections: concurrency }, surroundings))}\n`,
      )
    }
    if (options.isWanted('stitching')) {
      const load = { rounds: options.rounds, seconds: options.seconds, connections: concurrency }
      print(`${stitchingReport(await measureStitching(database.url, load, surroundings))}\n`)
    }
    if (options.isWanted('deliveries')) {
      print(`${deliveriesReport(await measureDeliveries(database, surroundings))}\n`)
    }
    if (options.isWanted('held')) print(`${heldReport(await measureHeld(database.url, surroundings))}\n`)
    if (options.isWanted('capture')) print(`${captureReport(await measureCapture(database.url, surroundings))}\n`)
    for (const scenario of subscriberScenarios) {
      if (!options.isWanted('subscribers') && !options.isWanted(scenario.name)) continue
      const results = await measureSubscribers(scenario, options, database.url, surroundings)
      print(`${subscribersReport(scenario, results)}\n`)
    }
    if (options.isWanted('subscribers') || options.isWanted('subscribers-http')) {
      const standard = { rounds: options.rounds, seconds: options.seconds, connections: concurrency }
      const results = await measureBesideSubscribers(database, standard, surroundings)
      for (const result of results) print(`${besideSubscribersReport(result)}\n`)
    }
    if (options.isWanted('subscribers') || options.isWanted('subscribers-idle')) {
      print(`${idleReport(await measureIdleSubscribers(database.url, surroundings))}\n`)
    }
    if (options.isWanted('subscribers') || options.isWanted('subscribers-keys')) {
      print(`${keyedReport(await measureKeyedSubscribers(options, database.url, surroundings))}\n`)
    }
    if (options.isWanted(workersName)) {
      const load = { rounds: options.rounds, seconds: options.seconds, connections: concurrency }
      print(`${await measureWorkers(database.url, load, surroundings)}\n`)
    }
    if (options.isWanted('metadata-edits')) {
      print(`${editsReport(await measureEdits(database.url, surroundings))}\n`)
    }
    if (options.isWanted('console')) print(`${consoleReport(await measureConsole(database.url, surroundings))}\n`)
    if (options.isWanted('scale')) await measureScales(database.url, surroundings)
    if (options.isWanted('start')) await storeMetadata(database.url, surroundings)
  })
  if (options.isWanted('start')) print(startReport(await measureStarts(dataDir, startTimes, surroundings)))
}

/**
 * npm passes a terminal's Ctrl-C on to its script, which has received it from the terminal already. Both count as one
 * signal.
 */
const echoMillis = 300

/** Ends everything in order; a second signal does so at once. */
function stopOnSignal(scope: Scope): void {
  let since = 0
  const stop = (exitCode: number) => {
    if (!scope.isClosed) {
      since = performance.now()
      scope.close().finally(() => process.exit(exitCode))
    } else if (performance.now() - since > echoMillis) process.exit(exitCode)
  }
  process.on('SIGINT', () => stop(130))
  process.on('SIGTERM', () => stop(143))
}

async function main(): Promise<void> {
  const options = readOptions()
  if (options === null) return print(usage)
  const scope = new Scope()
  stopOnSignal(scope)
  try {
    await run(options, scope)
  } catch (error) {
    // An error while the scope closes is a consequence of closing it.
    if (!scope.isClosed) throw error
  } finally {
    await scope.close()
  }
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
