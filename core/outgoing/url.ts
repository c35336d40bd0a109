// The URLs of other servers.

/** Where a request goes. */
export interface Place {
  readonly origin: string
  /** With what is asked for. */
  readonly path: string
}

/** Where a URL leads; null where no request can be sent: to what is not HTTP, or names a user. */
export function placeOf(text: string): Place | null {
  const url = URL.parse(text)
  if (!url) return null
  const { protocol, username, password, origin, pathname, search } = url
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return null
  return { origin, path: pathname + search }
}

/** Whether requests can be sent to a text: an HTTP URL that names no user. */
export function isHttpUrl(text: string): boolean {
  return placeOf(text) !== null
}

/** A URL as it may be logged: values of its query may be secrets. */
export function loggableUrl(text: string): string {
  if (!isHttpUrl(text)) return '<redacted>'
  const url = new URL(text)
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, 'redacted')
  return url.href
}
