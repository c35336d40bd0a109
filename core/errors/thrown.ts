// What can be told of something that was thrown, which may be anything.

import { fileURLToPath, pathToFileURL } from 'node:url'
import { inspect } from 'node:util'

/** Its message; of what is no error, its text. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

/** For the log: its message, and that of its cause, since who asks is not told what the database says. */
export function messageWithCause(thrown: unknown): string {
  const message = messageOf(thrown)
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause.message : ''
  return message.includes(cause) ? message : `${message}: ${cause}`
}

/** What OpenSSL says of itself, without the places in its sources and the numbers of threads that its messages have; null of other errors. */
export function tlsReasonOf(thrown: unknown): string | null {
  if (!(thrown instanceof Error)) return null
  const { library, reason } = thrown as { library?: unknown; reason?: unknown }
  return typeof library === 'string' && typeof reason === 'string' ? reason : null
}

/** Its message; of an error of OpenSSL's the reason alone. */
export const reasonOf = (thrown: unknown): string => tlsReasonOf(thrown) ?? messageOf(thrown)

/** What is no error, in one line, for the log. */
export const shownInLine = (value: unknown): string =>
  typeof value === 'string' ? value : inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY })

/** Its stack, for the log; of what is no error, its text. */
export const stackOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : shownInLine(thrown)

/** The code that Node, PostgreSQL or a library gave it; undefined when it has none. */
export function codeOf(thrown: unknown): string | undefined {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** Where below a folder something was thrown, as its stack has it: the file's path with line and column; null when it does not say. */
export function placeBelow(folder: string, thrown: unknown): string | null {
  if (!(thrown instanceof Error) || typeof thrown.stack !== 'string') return null
  const start = `${pathToFileURL(folder).href}/`
  for (const [, url = '', place = ''] of thrown.stack.matchAll(/(file:\/\/[^\s()]+?)((?::\d+){1,2})\)?$/gm)) {
    if (url.startsWith(start) && !url.includes('/node_modules/', start.length)) return fileURLToPath(url) + place
  }
  return null
}
