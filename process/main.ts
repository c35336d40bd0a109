// The process: arguments -> plugins -> settings -> database -> engine -> listen -> signals -> end. Only this folder changes
// the process.

import { setTimeout as sleep } from 'node:timers/promises'
import { isatty } from 'node:tty'
import { alone, type Workers } from '../core/concurrency/workers.ts'
import { Apis } from '../core/engine/apis.ts'
import { createEngine, type RunningEngine } from '../core/engine/engine.ts'
import type { AllSettings } from '../core/engine/options.ts'
import type { Plugin, PluginCommand } from '../core/engine/plugin.ts'
import { commandsOf, loggedByPlugins, optionsOf } from '../core/engine/plugin-options.ts'
import { findPlugins, type LoadedPlugin } from '../core/engine/plugins.ts'
import { OptionRefusal, StartError } from '../core/errors/start-error.ts'
import { messageOf, stackOf } from '../core/errors/thrown.ts'
import { createObserver, type LineObserver } from '../core/log/observe.ts'
import { dialects } from '../core/names/dialect.ts'
import { type Option, OptionsError, refusedOption } from '../core/options/option-values.ts'
import { bannerText, configurationEntry, connectionEntry, filesEntry, isOnPath, listeningEntry } from './banner.ts'
import { type Command, readCommand } from './cli.ts'
import { EmbeddedPostgres } from './embedded/embedded.ts'
import { loadEnvFile } from './env-file.ts'
import type { OtherCommand } from './help.ts'
import { leave } from './leaving.ts'
import {
  type CommandLine,
  glanceAt,
  namedPlugins,
  type OptionSources,
  type ParsedSettings,
  parseSettings,
} from './settings.ts'
import { aborted, exitCodes, stopSignal } from './signals.ts'
import { engineCloseMillis, forcedLogMillis, forcedStopMillis, lateStopMillis, stopMillis } from './tuning.ts'
import { collectWhenIdle, compileSooner, growWithRequests } from './v8.ts'
import { settingsOfWorker, workerCount } from './workers/division.ts'
import { WorkerLink } from './workers/link.ts'
import type { WorkerStart } from './workers/messages.ts'

/** The parts of a running server; `embedded` and `server` have to be ended. */
interface Running {
  readonly observe: LineObserver
  readonly composed: Composed
  embedded: EmbeddedPostgres | null
  server: Server | null
  /** Whether the process ends at once, with its own exit code. */
  isForced: boolean
}

/** An engine, or the supervisor of several workers with an engine each. */
interface Server extends Pick<RunningEngine, 'drain' | 'close'> {
  /** Ends the processes of the server besides this one, at once. */
  kill?(): void
  /** Rejects when the server cannot go on. */
  readonly failure?: Promise<never>
}

/** The beginning of a server, which sets the parts that run. */
type Begin = (parsed: ParsedSettings, running: Running, stop: AbortSignal) => Promise<void>

/** The plugins, and all options including theirs. */
interface Composed {
  /** Given in code, besides those that the options name. */
  readonly given: readonly Plugin[]
  /** All of them, in their order. */
  readonly plugins: readonly LoadedPlugin[]
  readonly options: readonly Option[]
  readonly commands: readonly PluginCommand[]
}

/** Serves until a signal; `worker`: the process is one of several. */
async function serve(
  parsed: ParsedSettings,
  composed: Composed,
  begin: Begin,
  worker: { readonly link: WorkerLink; readonly number: number } | null = null,
): Promise<void> {
  const observe = createObserver(parsed.settings, null, worker?.number)
  const running: Running = { observe, composed, embedded: null, server: null, isForced: false }
  const stop = stopSignal((signal) => force(running, exitCodes[signal]), worker?.link)
  process.on('exit', () => {
    running.server?.kill?.()
    running.embedded?.abandon()
  })
  process.on('uncaughtException', (error) => {
    observe.log({ type: 'unstructured', level: 'critical', detail: error.stack ?? String(error) })
    force(running, 1)
  })
  try {
    await Promise.race([begin(parsed, running, stop), aborted(stop)])
    await Promise.race([running.server?.failure, aborted(stop)].filter((each) => each !== undefined))
  } catch (error) {
    if (!stop.aborted) throw withSource(error, parsed)
  } finally {
    if (running.server && stop.aborted) await drain(running.server, parsed.settings.shutdownDelay)
    const timeoutMillis = parsed.settings.gracefulShutdownTimeout * 1000 + stopMillis
    const late = setTimeout(() => forceLate(running), timeoutMillis + lateStopMillis)
    await end(running, timeoutMillis)
    clearTimeout(late)
    if (running.isForced) await new Promise(() => {})
  }
}

/** Adds the source of the value to the refusal of an option that only the engine can judge. */
function withSource(error: unknown, { sources }: ParsedSettings): unknown {
  if (error instanceof OptionRefusal) {
    const source = sources.get(error.option)
    return source?.startsWith('Configuration file') ? refusedOption(source, error.reason) : error
  }
  if (!(error instanceof OptionsError) || error.option === null) return error
  return refusedOption(sources.get(error.option) ?? error.option, error.message)
}

/** Writes the configuration to the log, and starts the embedded PostgreSQL if no other is named; gives the settings with its URL. */
async function prepare(parsed: ParsedSettings, running: Running, workers: number): Promise<AllSettings> {
  const settings: AllSettings = { ...parsed.settings, workers: String(workers) }
  const { observe, composed } = running
  const apis = new Apis(
    composed.plugins.map(({ plugin }) => plugin),
    settings.enabledApis,
  )
  const entries = loggedByPlugins(composed.plugins, settings)
  observe.log(configurationEntry(settings, apis.enabled, entries))
  if (parsed.files.length > 0) observe.log(filesEntry(parsed.files))
  if (settings.databaseUrl === null) {
    const { dataDir: directory, connections, stripes } = settings
    const most = connections * stripes + workers
    running.embedded = new EmbeddedPostgres({ directory, connections: most, observe })
    await running.embedded.start()
  }
  const served = { ...settings, databaseUrl: running.embedded?.url ?? settings.databaseUrl }
  observe.log(connectionEntry(served))
  return served
}

/** Serves in this process. */
const beginAlone: Begin = async (parsed, running, stop) => {
  const settings = await prepare(parsed, running, 1)
  const urlFile = running.embedded?.urlFile ?? null
  const banner = await listen({ ...parsed, settings }, running, { stop, urlFile, workers: alone })
  if (banner !== null) await show(banner, running)
}

/** Serves as one of several workers. */
const beginAsWorker =
  (link: WorkerLink, start: WorkerStart): Begin =>
  async (parsed, running, stop) => {
    const banner = await listen(parsed, running, { stop, urlFile: start.urlFile, workers: link.workers(start) })
    if (banner !== null) await link.ready(banner)
  }

/** Starts workers, which serve. */
const beginWorkers =
  (count: number): Begin =>
  async (parsed, running, stop) => {
    const { Supervisor } = await import('./workers/supervisor.ts')
    const settings = await prepare(parsed, running, count)
    const urlFile = running.embedded?.urlFile ?? null
    // The workers write to a pipe.
    const logFormat = settings.logFormat ?? (isatty(1) ? 'pretty' : 'json')
    const supervisor = new Supervisor({
      count,
      observe: running.observe,
      startOf(number) {
        const own = settingsOfWorker({ ...settings, logFormat }, running.composed.options, { number, count })
        return { number, count, urlFile, parsed: { ...parsed, settings: own } }
      },
    })
    running.server = supervisor
    if (stop.aborted) return
    const banner = await supervisor.start()
    if (!stop.aborted) await show(banner, running)
  }

interface ListenOptions {
  readonly stop: AbortSignal
  readonly urlFile: string | null
  readonly workers: Workers
}

/** Makes the engine and opens the port. Returns the banner; null: it stops already. */
async function listen(
  { settings, files, unknownVariables }: ParsedSettings,
  running: Running,
  { stop, urlFile, workers }: ListenOptions,
): Promise<string | null> {
  const { observe, composed } = running
  const engine = await createEngine({ settings, plugins: composed.given, observe, workers })
  running.server = engine
  if (stop.aborted) return null
  const port = await engine.listen()
  growWithRequests()
  collectWhenIdle(() => engine.warmUp())
  compileSooner()
  observe.log(listeningEntry(settings, port, process.uptime()))
  return bannerText({
    ...{ settings, files, unknownVariables, port },
    options: composed.options,
    plugins: engine.plugins.map(({ plugin }) => plugin.name),
    apis: engine.apis.enabled,
    routes: engine.routes,
    embedded: urlFile === null ? null : { urlFile, hasPsql: isOnPath('psql') },
  })
}

/** On a terminal, which shows both, the banner follows the log of the start. */
async function show(banner: string, { observe }: Running): Promise<void> {
  await observe.written()
  process.stderr.write(banner)
}

/** Goes on serving until proxies have noticed that this instance is not ready. */
async function drain(server: Server, delaySeconds: number): Promise<void> {
  if (delaySeconds === 0) return
  await server.drain()
  await sleep(delaySeconds * 1000)
}

/** Ends requests in flight, then the database, also after a failed start, within the timeout. */
async function end({ observe, server, embedded }: Running, timeoutMillis: number): Promise<void> {
  const begun = performance.now()
  if (server) {
    observe.log({ type: 'unstructured', level: 'info', detail: 'gracefully shutting down server' })
    // A statement that does not end must not keep the server running: it ends with its connection.
    const limit = sleep(timeoutMillis - stopMillis + engineCloseMillis, undefined, { ref: false })
    await Promise.race([server.close(), limit]).catch((error: Error) => {
      observe.log({ type: 'unstructured', level: 'error', detail: `closing failed: ${error.stack}` })
    })
  }
  await embedded?.stop('fast', timeoutMillis - (performance.now() - begun))
  await observe.written()
}

/** Ends at once: requests in flight are lost, committed changes are not. */
function force(running: Running, exitCode: number): void {
  const { observe, server, embedded } = running
  running.isForced = true
  server?.kill?.()
  const within = (work: Promise<unknown> | undefined, millis: number) =>
    Promise.race([work, sleep(millis, undefined, { ref: false })]).catch(() => {})
  within(embedded?.stop('immediate'), forcedStopMillis)
    .then(() => within(observe.written(), forcedLogMillis))
    .finally(() => leave(exitCode))
}

/** The last resort if a part does not end. */
function forceLate(running: Running): void {
  const detail = 'the server did not stop in time and ends now'
  running.observe.log({ type: 'unstructured', level: 'critical', detail })
  force(running, 1)
}

/** One line with the reason and the remedy. */
function failureLine(error: unknown): string {
  const message = messageOf(error)
  const expected = error instanceof StartError || error instanceof OptionsError
  if (message.startsWith('Fatal Error')) return message
  return `Fatal Error: ${expected ? message : `unexpected: ${stackOf(error)}`}`
}

/** Finds the plugins that the sources name, adds the given ones, and collects all options. */
const compose = async (argv: readonly string[], given: readonly Plugin[], sources: OptionSources): Promise<Composed> =>
  composeOf(given, namedPlugins(glanceAt(argv), sources))

async function composeOf(given: readonly Plugin[], named: readonly string[]): Promise<Composed> {
  const plugins = await findPlugins(given, named)
  const options = optionsOf(plugins)
  return { given, plugins, options, commands: commandsOf(plugins, options) }
}

/** Whether the command line may only ask for help or the version: that is answered even if other arguments are wrong. */
const asksForText = ({ help, version, words }: CommandLine): boolean =>
  help || version || words[0] === 'help' || words[0] === 'version'

async function run(argv: readonly string[], given: readonly Plugin[], others: readonly OtherCommand[]): Promise<void> {
  if (asksForText(glanceAt(argv))) {
    const { options, commands } = await compose(argv, given, {}).catch(() => composeOf(given, []))
    if (printed(readCommand(argv, options, commands, others))) return
  }
  const envFile = loadEnvFile(process.env)
  const composed = await compose(argv, given, { envFile })
  const command = readCommand(argv, composed.options, composed.commands, others)
  if (printed(command)) return
  if (command.name === 'run')
    await runCommand(command, parseSettings(command.commandLine, composed.options, { envFile, isPartial: true }))
  else await serveAll(parseSettings(command.commandLine, composed.options, { envFile }), composed)
}

async function serveAll(parsed: ParsedSettings, composed: Composed): Promise<void> {
  const count = countOf(parsed)
  await serve(parsed, composed, count === 1 ? beginAlone : beginWorkers(count))
}

function countOf(parsed: ParsedSettings): number {
  try {
    return workerCount(parsed.settings)
  } catch (error) {
    throw withSource(error, parsed)
  }
}

/** Serves as the supervisor says. */
async function runWorker(link: WorkerLink, given: readonly Plugin[]): Promise<void> {
  const start = await link.start
  const composed = await composeOf(given, start.parsed.settings.plugins)
  await serve(start.parsed, composed, beginAsWorker(link, start), { link, number: start.number })
}

/** Prints the answer of a plugin's command. */
async function runCommand(
  { command, flags }: Extract<Command, { name: 'run' }>,
  parsed: ParsedSettings,
): Promise<void> {
  const { settings } = parsed
  try {
    process.stdout.write(await command.run({ flags, settings, dialect: dialects[settings.dialect] }))
  } catch (error) {
    throw withSource(error, parsed)
  }
}

function printed(command: Command): command is Extract<Command, { name: 'print' }> {
  if (command.name !== 'print') return false
  process.stdout.write(command.text)
  return true
}

/** Runs the program until it ends, with these plugins and those that the options name; the help lists the other commands. */
export function main(argv: readonly string[], plugins: readonly Plugin[], others: readonly OtherCommand[] = []): void {
  // A closed terminal or pipe must not end the server.
  process.stderr.on('error', () => {})
  const link = WorkerLink.ofProcess()
  const running = link ? runWorker(link, plugins) : run(argv, plugins, others)
  running.then(
    () => leave(0),
    async (error: unknown) => {
      const line = failureLine(error)
      if (link) await link.failed(line)
      else process.stderr.write(`${line}\n`)
      leave(1)
    },
  )
}
