// Makes the `msg` of a log line: the event in a few words.

import type { HttpLog, LogEntry } from './log-entry.ts'

/** The message of an entry, on one line. */
export function messageOf(entry: LogEntry): string {
  if (entry.message !== undefined) return firstLine(entry.message)
  switch (entry.type) {
    case 'http-log':
      return requestMessage(entry.detail)
    case 'startup':
      return messageIn(entry.detail.info) ?? entry.detail.kind.replaceAll('_', ' ')
    case 'query-log':
      return `query ${entry.detail.query.operationName ?? 'without a name'}`
    case 'unstructured':
      return firstLine(entry.detail)
    default:
      return messageIn(entry.detail) ?? entry.type
  }
}

function requestMessage({ http_info: { method, url, status }, operation: { error } }: HttpLog): string {
  const answered = `${method} ${url} ${status}`
  if (error === undefined) return answered
  const { error: message, internal } = error as { readonly error?: unknown; readonly internal?: unknown }
  const words = [message, messageOfDatabase(internal)].filter((each) => typeof each === 'string')
  return [answered, ...words.map(firstLine)].join(': ')
}

/** PostgreSQL's message for a failed statement; its details may hold the values of a row. */
function messageOfDatabase(internal: unknown): string | null {
  const { error } = (internal ?? {}) as { readonly error?: unknown }
  return messageIn(error)
}

/** The `message` member, which most details have. */
function messageIn(detail: unknown): string | null {
  if (typeof detail !== 'object' || detail === null || !('message' in detail)) return null
  return typeof detail.message === 'string' ? firstLine(detail.message) : null
}

function firstLine(text: string): string {
  const end = text.indexOf('\n')
  return end < 0 ? text : text.slice(0, end)
}
