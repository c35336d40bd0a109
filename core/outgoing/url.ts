// The URLs of other servers.

import { isAmbiguousUrl } from '../options/redaction.ts'

/** Where a request goes. */
export interface Place {
  readonly origin: string
  /** With what is asked for. */
  readonly path: string
  /** The header by which the user that the URL names is known; null: it names none. */
  readonly authorization: string | null
}

/** Where a URL leads; null where no request can be sent: to what is not HTTP. */
export function placeOf(text: string): Place | null {
  const url = URL.parse(text)
  if (!url) return null
  const { protocol, username, password, origin, pathname, search } = url
  if (!/^https?:$/.test(protocol)) return null
  const authorization = username === '' && password === '' ? null : basic(username, password)
  return { origin, path: pathname + search, authorization }
}

/** Basic authentication; the parts come as they stand in a URL. */
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

/** Whether requests can be sent to a text: an HTTP URL. */
export function isHttpUrl(text: string): boolean {
  return placeOf(text) !== null
}

/** A URL as it may be logged: whom it names, and values of its query, may be secrets. */
export function loggableUrl(text: string): string {
  if (!isHttpUrl(text) || isAmbiguousUrl(text)) return '<redacted>'
  const url = new URL(text)
  if (url.username !== '') url.username = 'redacted'
  if (url.password !== '') url.password = 'redacted'
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, 'redacted')
  return url.href
}

/**
 * A configured URL as errors and logs tell of it: as it was given, with the names of its variables, unless it holds what may be a
 * secret.
 */
export function loggableTemplate(text: string): string {
  if (!/[@?]/.test(text)) return text
  const shown = loggableUrl(text)
  return shown === URL.parse(text)?.href ? text : shown.replaceAll('%7B%7B', '{{').replaceAll('%7D%7D', '}}')
}
