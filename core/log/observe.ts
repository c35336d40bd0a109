// Everything worth observing is a value of one closed type; the one consumer here writes it as a line on stdout: JSON,
// or for a terminal what log-pretty.ts makes of it.

import { isatty } from 'node:tty'
import { messageOf as messageOfThrown, shownInLine } from '../errors/thrown.ts'
import { type DialectName, dialects } from '../names/dialect.ts'
import type { LogEntry, LogLevel, LogType, Observer } from './log-entry.ts'
import { messageOf } from './log-message.ts'
import { paintFor, prettyLines, unpainted } from './log-pretty.ts'
import { configurableLogTypes, type LogSettings as LogOptions } from './options.ts'
import { type LogDestination, standardOutput } from './standard-output.ts'

export type * from './log-entry.ts'

const severity: Readonly<Record<LogLevel, number>> = { debug: 20, info: 30, warn: 40, error: 50, critical: 60 }

/** The types that are off unless `--enabled-log-types` names them; all others are always on. */
const configurable: ReadonlySet<string> = new Set(configurableLogTypes)

/** A line before it is text; `at` is in milliseconds since 1970. */
interface LogLine {
  readonly at: number
  readonly entry: LogEntry
}

/** Makes the text of a line. */
type LineFormat = (line: LogLine) => string

/** An observer that knows when its lines are out. */
export interface LineObserver extends Observer {
  /** Resolves when the lines so far are written, or nobody reads them. */
  written(): Promise<void>
}

/** Milliseconds that a line waits for others at most, and lines and characters that are written at once. */
const longestWait = 100
const batchLines = 64
const batchSize = 16_384

/** What is logged of an answered request is small, and nothing of it changes later, so that its text can wait. */
const mayWait = ({ type, detail }: LogEntry): boolean => type === 'http-log' && detail.operation.error === undefined

/** Collects lines: making the text of one and handing it over costs several times as much by itself as among others. */
class LineBuffer {
  readonly #destination: LogDestination
  readonly #textOf: LineFormat
  #lines: (LogLine | string)[] = []
  /** Of those that are text. */
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

/** Writes the time as v1.3 does; the text is made once per millisecond. */
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

type LogSettings = LogOptions & { readonly dialect: DialectName }

/** Lines of JSON; `msg` and `time` are what pino's tools look for. */
function jsonFormat({ dialect }: LogSettings): LineFormat {
  const timestamp = createTimestamps()
  if (dialects[dialect].plainLog) {
    return ({ at, entry: { level, type, detail } }) =>
      `${JSON.stringify({ timestamp: timestamp(at), level, type, detail })}\n`
  }
  return ({ at, entry }) => {
    const { level, type, detail } = entry
    return `${JSON.stringify({ timestamp: timestamp(at), time: at, level, type, msg: messageOf(entry), detail })}\n`
  }
}

/** The format that the settings ask for, else the one for whoever reads stdout. */
function formatFor(settings: LogSettings, isStandard: boolean): LineFormat {
  const isTerminal = isStandard && isatty(1)
  if ((settings.logFormat ?? (isTerminal ? 'pretty' : 'json')) === 'json') return jsonFormat(settings)
  const paint = isStandard ? paintFor(process.stdout) : unpainted
  return ({ at, entry }) => prettyLines(at, entry, paint)
}

/** The same, which never throws: what a plugin logs may be what JSON has not, and work that is logged does not fail by it. */
const telling =
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

/** The observer that writes lines; `given` null: to stdout. */
export function createObserver(settings: LogSettings, given: LogDestination | null = null): LineObserver {
  const destination = given ?? standardOutput()
  const lines = new LineBuffer(destination, telling(formatFor(settings, given === null)))
  const least = severity[settings.logLevel]
  const enabled: ReadonlySet<string> = new Set(settings.enabledLogTypes)
  const isEnabled = (type: LogType, level: LogLevel) =>
    severity[level] >= least && (!configurable.has(type) || enabled.has(type))
  const tell = (entry: LogEntry) => {
    if (isEnabled(entry.type, entry.level)) lines.write({ at: Date.now(), entry })
  }
  destination.onDropped?.((count) => {
    const detail = `${count} lines of the log were dropped, since nobody read it fast enough`
    tell({ type: 'unstructured', level: 'error', detail })
  })
  return {
    isEnabled,
    log: tell,
    flush: () => lines.flushSync(),
    written: () => lines.written(),
  }
}

/** Writes nothing. */
export const silentObserver: Observer = { isEnabled: () => false, log: () => {}, flush: () => {} }
