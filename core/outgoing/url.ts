// Parses and redacts the URLs of other servers.

import { isAmbiguousUrl } from '../options/redaction.ts'

/** The target of a request. */
export interface Place {
  readonly origin: string
  /** Path and query. */
  readonly path: string
  /** The `Authorization` header for the user in the URL; null if the URL names no user. */
  readonly authorization: string | null
}

/** Parses a URL; null if it is not an HTTP URL. */
export function placeOf(text: string): Place | null {
  const url = URL.parse(text)
  if (!url) return null
  const { protocol, username, password, origin, pathname, search } = url
  if (!/^https?:$/.test(protocol)) return null
  const authorization = username === '' && password === '' ? null : basic(username, password)
  return { origin, path: pathname + search, authorization }
}

/** Basic authentication; the parts are percent-encoded as in the URL. */
function basic(username: string, password: string): string {
  const credentials = `${unescaped(username)}:${unescaped(password)}`
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Whether a text is an HTTP URL. */
export function isHttpUrl(text: string): boolean {
  return placeOf(text) !== null
}

/** A URL for the log. Its user, password and query values are redacted, because they may be secrets. */
export function loggableUrl(text: string): string {
  if (!isHttpUrl(text) || isAmbiguousUrl(text)) return '<redacted>'
  const url = new URL(text)
  if (url.username !== '') url.username = 'redacted'
  if (url.password !== '') url.password = 'redacted'
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, 'redacted')
  return url.href
}

/** A configured URL for errors and the log: unchanged, with the names of its variables, unless it may hold a secret. */
export function loggableTemplate(text: string): string {
  if (!/[@?]/.test(text)) return text
  const shown = loggableUrl(text)
  return shown === URL.parse(text)?.href ? text : shown.replaceAll('%7B%7B', '{{').replaceAll('%7D%7D', '}}')
}
