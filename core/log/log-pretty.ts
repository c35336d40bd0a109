// Formats log lines for a terminal: time, level, type, message and details.

import { styleText } from 'node:util'
import type { GeneratedSql, LogEntry, LogLevel } from './log-entry.ts'
import { messageOf } from './log-message.ts'
import { mostListed } from './tuning.ts'

type Style = Parameters<typeof styleText>[0]

const levels: Readonly<Record<LogLevel, { readonly label: string; readonly style: Style }>> = {
  debug: { label: 'DEBUG', style: 'gray' },
  info: { label: 'INFO ', style: 'green' },
  warn: { label: 'WARN ', style: 'yellow' },
  error: { label: 'ERROR', style: 'red' },
  critical: { label: 'CRIT ', style: ['bold', 'red'] },
}

/** Applies a style to a text, if colours are on. */
export type Paint = (style: Style, text: string) => string

/** Returns the painter for a stream. `NO_COLOR` and `FORCE_COLOR` are respected. */
export const paintFor =
  (stream: NodeJS.WritableStream): Paint =>
  (style, text) =>
    styleText(style, text, { stream })

export const unpainted: Paint = (_style, text) => text

/** The look of lines; `worker`: the number of the process, if there are several. */
export interface PrettyOptions {
  readonly paint: Paint
  readonly worker: number | null
}

/** Formats one entry, with a line break at the end. `at` is in milliseconds since 1970. */
export function prettyLines(at: number, entry: LogEntry, { paint, worker }: PrettyOptions): string {
  const { label, style } = levels[entry.level]
  const process = worker === null ? '' : `${paint('dim', `worker ${worker}`)} `
  const head = `${paint('dim', timeOfDay(at))} ${process}${paint(style, label)} ${paint('cyan', entry.type)}`
  const facts = factsOf(entry)
  const more = linesBelow(entry).map((line) => `\n    ${paint('dim', printable(line))}`)
  const tail = facts === '' ? '' : ` ${paint('dim', printable(facts))}`
  return `${head} ${printable(messageOf(entry))}${tail}${more.join('')}\n`
}

function timeOfDay(at: number): string {
  const date = new Date(at)
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** Escapes control characters, so that client data cannot imitate a line or send escape sequences to the terminal. */
const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The details after the message, on the same line. */
function factsOf(entry: LogEntry): string {
  switch (entry.type) {
    case 'http-log': {
      const { query_execution_time: ran, user_vars: session = {} } = entry.detail.operation
      const role = Object.entries(session).find(([name]) => name.endsWith('-role'))?.[1]
      return [ran === undefined ? [] : `${(ran * 1000).toFixed(1)} ms`, role ?? []].flat().join(' ')
    }
    case 'startup':
      return entry.detail.kind === 'server_configuration' ? '' : members(entry.detail.info)
    case 'query-log':
    case 'unstructured':
      return ''
    default:
      return members(entry.detail)
  }
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

/** The members that fit on the line, without the message. */
function members(detail: unknown): string {
  if (typeof detail !== 'object' || detail === null) return ''
  const plain = Object.entries(detail).filter(
    ([name, value]) => name !== 'message' && name !== 'stack' && isPlain(value),
  )
  return plain.map(([name, value]) => `${name}=${String(value).slice(0, 200)}`).join(' ')
}

/** The lines of a detail's stack, which some have. */
function stackIn(detail: unknown): readonly string[] {
  const { stack } = Object(detail)
  return typeof stack === 'string' ? stack.split('\n') : []
}

/** The details on lines of their own. */
function linesBelow(entry: LogEntry): readonly string[] {
  switch (entry.type) {
    case 'unstructured':
      return entry.detail.split('\n').slice(1)
    case 'query-log':
      return Object.values(entry.detail.generated_sql ?? {}).flatMap((each: GeneratedSql | null) => each?.query ?? [])
    case 'metadata': {
      const { objects = [] } = (entry.detail.info ?? {}) as {
        readonly objects?: readonly { readonly reason?: string }[]
      }
      const reasons = objects.slice(0, mostListed).map(({ reason }) => String(reason))
      return objects.length > mostListed ? [...reasons, `and ${objects.length - mostListed} more`] : reasons
    }
    default:
      return stackIn(entry.detail)
  }
}
