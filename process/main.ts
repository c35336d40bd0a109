// The process: arguments -> plugins -> settings -> database -> engine -> listen -> signals -> end. Only this folder changes
// the process.

import { setTimeout as sleep } from 'node:timers/promises'
import { Apis } from '../core/engine/apis.ts'
import { createEngine, type RunningEngine } from '../core/engine/engine.ts'
import type { Plugin, PluginCommand } from '../core/engine/plugin.ts'
import { commandsOf, loggedByPlugins, optionsOf } from '../core/engine/plugin-options.ts'
import { findPlugins, type LoadedPlugin } from '../core/engine/plugins.ts'
import { OptionRefusal, StartError } from '../core/errors/start-error.ts'
import { messageOf, stackOf } from '../core/errors/thrown.ts'
import { createObserver, type LineObserver } from '../core/log/observe.ts'
import { isOutputBlocked } from '../core/log/standard-output.ts'
import { dialects } from '../core/names/dialect.ts'
import { type Option, OptionsError, refusedOption } from '../core/options/option-values.ts'
import { bannerText, configurationEntry, connectionEntry, filesEntry, isOnPath, listeningEntry } from './banner.ts'
import { type Command, readCommand } from './cli.ts'
import { EmbeddedPostgres } from './embedded/embedded.ts'
import { loadEnvFile } from './env-file.ts'
import type { OtherCommand } from './help.ts'
import {
  type CommandLine,
  glanceAt,
  namedPlugins,
  type OptionSources,
  type ParsedSettings,
  parseSettings,
} from './settings.ts'
import {
  engineCloseMillis,
  forcedLogMillis,
  forcedStopMillis,
  lateStopMillis,
  repeatedSignalMillis,
  stopMillis,
} from './tuning.ts'
import { compileSooner, growWithRequests } from './v8.ts'

/** The parts of a running server; `embedded` and `engine` have to be ended. */
interface Running {
  readonly observe: LineObserver
  readonly composed: Composed
  embedded: EmbeddedPostgres | null
  engine: RunningEngine | null
  /** Whether the process ends at once, with its own exit code. */
  isForced: boolean
}

/** The plugins, and all options including theirs. */
interface Composed {
  /** Given in code, besides those that the options name. */
  readonly given: readonly Plugin[]
  /** All of them, in their order. */
  readonly plugins: readonly LoadedPlugin[]
  readonly options: readonly Option[]
  readonly commands: readonly PluginCommand[]
}

const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const
type EndSignal = keyof typeof exitCodes

/** Aborts at the first signal; calls `force` at the next. */
function stopSignal(force: (signal: EndSignal) => void): AbortSignal {
  const controller = new AbortController()
  let since = 0
  for (const signal of Object.keys(exitCodes) as EndSignal[]) {
    process.on(signal, () => {
      if (!controller.signal.aborted) {
        since = performance.now()
        controller.abort()
      } else if (performance.now() - since > repeatedSignalMillis) force(signal)
    })
  }
  return controller.signal
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done())
  })

async function serve(parsed: ParsedSettings, composed: Composed): Promise<void> {
  const observe = createObserver(parsed.settings)
  const running: Running = { observe, composed, embedded: null, engine: null, isForced: false }
  const stop = stopSignal((signal) => force(running, exitCodes[signal]))
  process.on('exit', () => running.embedded?.abandon())
  process.on('uncaughtException', (error) => {
    observe.log({ type: 'unstructured', level: 'critical', detail: error.stack ?? String(error) })
    force(running, 1)
  })
  try {
    await Promise.race([start(parsed, running, stop), aborted(stop)])
    await aborted(stop)
  } catch (error) {
    if (!stop.aborted) throw withSource(error, parsed)
  } finally {
    if (running.engine && stop.aborted) await drain(running.engine, parsed.settings.shutdownDelay)
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

async function start(parsed: ParsedSettings, running: Running, stop: AbortSignal): Promise<void> {
  const { settings } = parsed
  const { observe, composed } = running
  const apis = new Apis(
    composed.plugins.map(({ plugin }) => plugin),
    settings.enabledApis,
  )
  observe.log(configurationEntry(settings, apis.enabled, loggedByPlugins(composed.plugins, settings)))
  if (parsed.files.length > 0) observe.log(filesEntry(parsed.files))
  if (settings.databaseUrl === null) {
    const { dataDir: directory, connections, stripes } = settings
    running.embedded = new EmbeddedPostgres({ directory, connections: connections * stripes, observe })
    await running.embedded.start()
  }
  const served = { ...settings, databaseUrl: running.embedded?.url ?? settings.databaseUrl }
  observe.log(connectionEntry(served))
  const engine = await createEngine({ settings: served, plugins: composed.given, observe })
  running.engine = engine
  if (stop.aborted) return
  const port = await engine.listen()
  growWithRequests()
  compileSooner()
  observe.log(listeningEntry(settings, port, process.uptime()))
  const banner = bannerText({
    settings: served,
    options: composed.options,
    port,
    plugins: engine.plugins.map(({ plugin }) => plugin.name),
    apis: engine.apis.enabled,
    routes: engine.routes,
    embedded: running.embedded && { urlFile: running.embedded.urlFile, hasPsql: isOnPath('psql') },
    files: parsed.files,
    unknownVariables: parsed.unknownVariables,
  })
  // On a terminal, which shows both, the banner follows the log of the start.
  await observe.written()
  process.stderr.write(banner)
}

/** Goes on serving until proxies have noticed that this instance is not ready. */
async function drain(engine: RunningEngine, delaySeconds: number): Promise<void> {
  if (delaySeconds === 0) return
  await engine.drain()
  await sleep(delaySeconds * 1000)
}

/** Ends requests in flight, then the database, also after a failed start, within the timeout. */
async function end({ observe, engine, embedded }: Running, timeoutMillis: number): Promise<void> {
  const begun = performance.now()
  if (engine) {
    observe.log({ type: 'unstructured', level: 'info', detail: 'gracefully shutting down server' })
    // A statement that does not end must not keep the server running: it ends with its connection.
    const limit = sleep(timeoutMillis - stopMillis + engineCloseMillis, undefined, { ref: false })
    await Promise.race([engine.close(), limit]).catch((error: Error) => {
      observe.log({ type: 'unstructured', level: 'error', detail: `closing failed: ${error.stack}` })
    })
  }
  await embedded?.stop('fast', timeoutMillis - (performance.now() - begun))
  await observe.written()
}

/** Ends at once: requests in flight are lost, committed changes are not. */
function force(running: Running, exitCode: number): void {
  const { observe, embedded } = running
  running.isForced = true
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
  else await serve(parseSettings(command.commandLine, composed.options, { envFile }), composed)
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
  run(argv, plugins, others).then(
    () => leave(0),
    (error: unknown) => {
      process.stderr.write(`${failureLine(error)}\n`)
      leave(1)
    },
  )
}

/** Work on Node's threads that may take any time: name lookups, and files, which may be pipes or on a network. */
const blocking = /^(?:GetAddrInfo|GetNameInfo|FSReq)/

/** Whether a thread may be blocked by work whose result is no longer needed. */
const mayBlock = (): boolean => process.getActiveResourcesInfo().some((name) => blocking.test(name))

/**
 * Ends the process once its log is written, or at once if the log's reader is stuck. At its end Node waits for its threads,
 * such as a blocked write or name lookup, and ignores signals meanwhile. Signals from itself do nothing to process 1 of a
 * container. Replacing the process by another program drops these threads, and output that could not be written, for
 * example to a full disk, is not retried forever.
 */
function leave(code: number): never {
  if (isOutputBlocked() || mayBlock()) {
    const program = [process.execPath, '--eval', `process.exit(${code})`]
    process.execve?.(process.execPath, program, { ...process.env, NODE_OPTIONS: '' })
  }
  process.exit(code)
}
