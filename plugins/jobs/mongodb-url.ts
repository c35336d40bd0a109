// The URL of MongoDB, of which nothing secret is shown.

/** Scheme, the user with the password, hosts, the database, options. */
const form = /^(mongodb(?:\+srv)?:\/\/)(?:([^/?#@]*)@)?([^/?#@]+)(?:\/([^?#@]*))?(?:\?([^#@]*))?$/

/** The database that is used when the URL names none. */
const defaultDatabase = 'trellis'

/** What is wrong with a URL; null: nothing that can be seen of it alone. */
export function mongoUrlRefusal(url: string): string | null {
  if (form.test(url)) return null
  return 'is no URL such as mongodb://user:password@host:27017/database; what is special in user and password is percent-encoded'
}

/** The URL as it may be printed: scheme, hosts, database. */
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

/** Whether a URL sets an option itself. */
export function mongoUrlSets(url: string, option: string): boolean {
  const options = new URLSearchParams(form.exec(url)?.[5] ?? '')
  return [...options.keys()].some((name) => name.toLowerCase() === option.toLowerCase())
}

/** A message of the driver without what the URL has of secrets. */
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
