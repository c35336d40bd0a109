// Reads messages, codes and stacks of thrown values, which need not be errors.

import { fileURLToPath, pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { mostCauses } from './tuning.ts'

/** The message of an error, or the text of another value. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

/** For the log: the message and that of its cause, since clients do not see the database's message. */
export function messageWithCause(thrown: unknown): string {
  const message = messageOf(thrown)
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause.message : ''
  return message.includes(cause) ? message : `${message}: ${cause}`
}

/**
 * The reason of an OpenSSL error, without the source positions and thread ids of its message; null for other errors.
 */
export function tlsReasonOf(thrown: unknown): string | null {
  if (!(thrown instanceof Error)) return null
  const { library, reason } = thrown as { library?: unknown; reason?: unknown }
  return typeof library === 'string' && typeof reason === 'string' ? reason : null
}

/** The message of an error; for OpenSSL's errors only the reason. */
export const reasonOf = (thrown: unknown): string => tlsReasonOf(thrown) ?? messageOf(thrown)

/** Any value in one line, for the log. */
export const shownInLine = (value: unknown): string =>
  typeof value === 'string' ? value : inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY })

/** The stack of an error with those of its causes, or the text of another value, for the log. */
export function stackOf(thrown: unknown): string {
  const stacks: string[] = []
  let each = thrown
  while (each instanceof Error && stacks.length <= mostCauses) {
    stacks.push(each.stack ?? each.message)
    each = each.cause
  }
  if (stacks.length === 0) return shownInLine(thrown)
  if (each !== undefined && !(each instanceof Error)) stacks.push(shownInLine(each))
  return stacks.join('\n[cause]: ')
}

/** The code of an error from Node, PostgreSQL or a library; undefined if it has none. */
export function codeOf(thrown: unknown): string | undefined {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** The first file below a folder in the stack of an error, with line and column; null if there is no such file. */
export function placeBelow(folder: string, thrown: unknown): string | null {
  if (!(thrown instanceof Error) || typeof thrown.stack !== 'string') return null
  const start = `${pathToFileURL(folder).href}/`
  for (const [, url = '', place = ''] of thrown.stack.matchAll(/(file:\/\/[^\s()]+?)((?::\d+){1,2})\)?$/gm)) {
    if (url.startsWith(start) && !url.includes('/node_modules/', start.length)) return fileURLToPath(url) + place
  }
  return null
}
