// The URL of MongoDB; its secrets are never shown.

/** Scheme, user and password, hosts, database, options. */
const form = /^(mongodb(?:\+srv)?:\/\/)(?:([^/?#@]*)@)?([^/?#@]+)(?:\/([^?#@]*))?(?:\?([^#@]*))?$/

/** The database if the URL names none. */
const defaultDatabase = 'trellis'

/** The reason to refuse a URL; null: it looks valid. */
export function mongoUrlRefusal(url: string): string | null {
  if (form.test(url)) return null
  return 'is not a URL such as mongodb://user:password@host:27017/database; special characters in user and password must be percent-encoded'
}

/** The printable parts of a URL: scheme, hosts, database. */
export function shownMongoUrl(url: string): string {
  const [, scheme, user, hosts, database] = form.exec(url) ?? []
  if (scheme === undefined) return '<redacted>'
  return `${scheme}${user === undefined ? '' : 'redacted@'}${hosts}/${database ?? ''}`
}

/** The database that a URL names. */
export function mongoDatabaseOf(url: string): string {
  const database = form.exec(url)?.[4]
  return database ? percentDecoded(database) : defaultDatabase
}

/** Whether a URL sets an option. */
export function mongoUrlSets(url: string, option: string): boolean {
  const options = new URLSearchParams(form.exec(url)?.[5] ?? '')
  return [...options.keys()].some((name) => name.toLowerCase() === option.toLowerCase())
}

/** A message of the driver without the secrets of the URL. */
export function withoutSecrets(message: string, url: string): string {
  const [, , user, , , options] = form.exec(url) ?? []
  const password = user?.slice(user.indexOf(':') + 1)
  const secrets = [url, options, user, password].flatMap((text) => (text ? [text, percentDecoded(text)] : []))
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '<redacted>'), message)
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
