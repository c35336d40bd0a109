// A database given in parts, as libpq's programs take it: `--host`, `--port` and so on.

import { OptionsError } from '../options/option-values.ts'
import type { DatabaseSettings } from './options.ts'

/** The URL of a database given in parts; null if no part is given. */
export function urlOfParts(settings: DatabaseSettings, prefix: string): string | null {
  const { databaseHost: host, databasePort: port, databaseUser: user, databaseName: name } = settings
  const parts = [host, port, user, name, settings.databasePassword, settings.databaseOptions]
  if (parts.every((part) => part === null)) return null
  if (host === null || port === null || user === null || name === null) {
    throw new OptionsError(
      `Fatal Error : Invalid options. Expecting all database connection params (host, port, user, dbname, password) or database-url (${prefix}DATABASE_URL)`,
    )
  }
  const credentials = [user, settings.databasePassword].flatMap((part) =>
    part === null ? [] : [encodeURIComponent(part)],
  )
  // A URL's host cannot hold the directory of a Unix socket.
  const isSocket = host.startsWith('/')
  const place = isSocket ? 'localhost' : `${host.includes(':') ? `[${host}]` : host}:${port}`
  const query = [
    ...(isSocket ? [['host', host] as const, ['port', String(port)] as const] : []),
    ...(settings.databaseOptions === null ? [] : [['options', settings.databaseOptions] as const]),
  ].map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
  const tail = query.length > 0 ? `?${query.join('&')}` : ''
  return `postgres://${credentials.join(':')}@${place}/${encodeURIComponent(name)}${tail}`
}
