// The URLs of other servers.

/** Whether requests can be sent to a text: an HTTP URL that names no user. */
export function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

/** A URL as it may be logged: values of its query may be secrets. */
export function loggableUrl(text: string): string {
  if (!isHttpUrl(text)) return '<redacted>'
  const url = new URL(text)
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, 'redacted')
  return url.href
}
