// Writes log entries as lines to stdout: JSON, or the format of log-pretty.ts for a terminal.

import { isatty } from 'node:tty'
import { StartError } from '../errors/start-error.ts'
import { messageOf as messageOfThrown, shownInLine } from '../errors/thrown.ts'
import { type DialectName, dialects } from '../names/dialect.ts'
import type { LogEntry, LogLevel, Observer } from './log-entry.ts'
import { messageOf } from './log-message.ts'
import { paintFor, prettyLines, unpainted } from './log-pretty.ts'
import { configurableLogTypes, type LogSettings as LogOptions } from './options.ts'
import { type LogDestination, standardOutput } from './standard-output.ts'
import { batchLines, batchSize, longestWait } from './tuning.ts'

export type * from './log-entry.ts'

const severity: Readonly<Record<LogLevel, number>> = { debug: 20, info: 30, warn: 40, error: 50, critical: 60 }

/** The types that are off unless `--enabled-log-types` lists them. All others are always on. */
const configurable: ReadonlySet<string> = new Set(configurableLogTypes)

/** A line before formatting; `at` is in milliseconds since 1970. */
interface LogLine {
  readonly at: number
  readonly entry: LogEntry
}

/** Formats a line. */
type LineFormat = (line: LogLine) => string

/** An observer that knows when its lines are written. */
export interface LineObserver extends Observer {
  /** Resolves when the lines so far are written, or no reader takes them. */
  written(): Promise<void>
}

/** The detail of a successful request is small and immutable, so its formatting can be delayed. */
const mayWait = ({ type, detail }: LogEntry): boolean => type === 'http-log' && detail.operation.error === undefined

/** Batches lines: formatting and writing one alone costs several times as much as in a batch. */
class LineBuffer {
  readonly #destination: LogDestination
  readonly #textOf: LineFormat
  #lines: (LogLine | string)[] = []
  /** Characters of the lines that are formatted already. */
  #size = 0
  #timer: NodeJS.Timeout | null = null

  constructor(destination: LogDestination, textOf: LineFormat) {
    this.#destination = destination
    this.#textOf = textOf
  }

  write(line: LogLine): void {
    const kept = mayWait(line.entry) ? line : this.#textOf(line)
    this.#lines.push(kept)
    if (typeof kept === 'string') this.#size += kept.length
    if (this.#lines.length >= batchLines || this.#size >= batchSize) this.#pass()
    else this.#timer ??= setTimeout(() => this.#pass(), longestWait).unref()
  }

  flushSync(): void {
    this.#pass()
    this.#destination.flushSync()
  }

  async written(): Promise<void> {
    this.#pass()
    await this.#destination.written?.()
  }

  #pass(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#lines.length === 0) return
    let text = ''
    for (const line of this.#lines) text += typeof line === 'string' ? line : this.#textOf(line)
    this.#lines = []
    this.#size = 0
    this.#destination.write(text)
  }
}

/** Formats the time as v1.3 does, once per millisecond. */
function createTimestamps(): (at: number) => string {
  let last = 0
  let text = ''
  return (at) => {
    if (at !== last) {
      last = at
      text = new Date(at).toISOString().replace('Z', '+0000')
    }
    return text
  }
}

/** The settings that choose entries. */
type WrittenEntries = Pick<LogOptions, 'logLevel' | 'enabledLogTypes'>

type LogSettings = LogOptions & { readonly dialect: DialectName }

/** Formats JSON. Pino's tools look for `msg` and `time`. */
function jsonFormat({ dialect }: LogSettings, worker: number | null): LineFormat {
  const timestamp = createTimestamps()
  const own = worker === null ? {} : { worker }
  if (dialects[dialect].plainLog) {
    return ({ at, entry: { level, type, detail } }) =>
      `${JSON.stringify({ timestamp: timestamp(at), level, type, ...own, detail })}\n`
  }
  return ({ at, entry }) => {
    const { level, type, detail } = entry
    const line = { timestamp: timestamp(at), time: at, level, type, ...own, msg: messageOf(entry), detail }
    return `${JSON.stringify(line)}\n`
  }
}

/** The configured format; by default pretty on a terminal, otherwise JSON. */
function formatFor(settings: LogSettings, isStandard: boolean, worker: number | null): LineFormat {
  const isTerminal = isStandard && isatty(1)
  if ((settings.logFormat ?? (isTerminal ? 'pretty' : 'json')) === 'json') return jsonFormat(settings, worker)
  const paint = isStandard ? paintFor(process.stdout) : unpainted
  return ({ at, entry }) => prettyLines(at, entry, { paint, worker })
}

/** Never throws: a plugin may log a value that JSON cannot represent, and logging must not fail the work. */
const neverThrowing =
  (format: LineFormat): LineFormat =>
  ({ at, entry }) => {
    try {
      return format({ at, entry })
    } catch (error) {
      const { type, level, detail } = entry
      const words = `a line of type ${type} cannot be written: ${messageOfThrown(error)}: ${shownInLine(detail)}`
      return format({ at, entry: { type: 'unstructured', level, detail: words } })
    }
  }

/** Whether the settings let an entry of this type and level be written. */
function enabledBy(settings: WrittenEntries): Observer['isEnabled'] {
  const least = severity[settings.logLevel]
  const enabled: ReadonlySet<string> = new Set(settings.enabledLogTypes)
  return (type, level) => severity[level] >= least && (!configurable.has(type) || enabled.has(type))
}

/** Receives log entries: a function, or an object with at least `log`. */
export type LogReceiver = ((entry: LogEntry) => void) | (Pick<Observer, 'log'> & Partial<Observer>)

/** The observer that passes the entries that the settings enable to a receiver. Throws a `StartError` for other values. */
export function observerOf(given: LogReceiver, settings: WrittenEntries): Observer {
  const log = typeof given === 'function' ? given : Object(given).log
  if (typeof log !== 'function') {
    throw new StartError('"observe" has to be a function of a log entry, or an object with the method log(entry)')
  }
  const { isEnabled, flush } = typeof given === 'function' ? ({} as Partial<Observer>) : given
  const enabled = isEnabled?.bind(given) ?? enabledBy(settings)
  return {
    isEnabled: enabled,
    log(entry) {
      if (isEnabled || enabled(entry.type, entry.level)) log.call(given, entry)
    },
    flush: flush?.bind(given) ?? (() => {}),
  }
}

/** Creates an observer that writes lines; `given` null: to stdout. `worker`: the number of the process, if there are several. */
export function createObserver(
  settings: LogSettings,
  given: LogDestination | null = null,
  worker: number | null = null,
): LineObserver {
  const destination = given ?? standardOutput()
  const lines = new LineBuffer(destination, neverThrowing(formatFor(settings, given === null, worker)))
  const isEnabled = enabledBy(settings)
  const tell = (entry: LogEntry) => {
    if (isEnabled(entry.type, entry.level)) lines.write({ at: Date.now(), entry })
  }
  destination.onDropped?.((count) => {
    const detail = `${count} log lines were dropped because the reader was too slow`
    tell({ type: 'unstructured', level: 'error', detail })
  })
  return {
    isEnabled,
    log: tell,
    flush: () => lines.flushSync(),
    written: () => lines.written(),
  }
}

/** Discards everything. */
export const silentObserver: Observer = { isEnabled: () => false, log: () => {}, flush: () => {} }
