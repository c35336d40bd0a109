// The options of the database: its address, and how many connections the server opens.

import { realpathSync } from 'node:fs'
import { isAbsolute, normalize, sep } from 'node:path'
import { dynamicFileOf } from '../options/dynamic-file.ts'
import { choice, text, trueOrFalse, whole, wholeOrNone } from '../options/option-kinds.ts'
import type { SettingsOf } from '../options/option-values.ts'
import { redactedUrl } from '../options/redaction.ts'
import { refusalOfHosts, spelledOut } from './wire/connection-url.ts'

const databaseSchemes = ['postgres:', 'postgresql:']

/** An `@` in the path, the fragment or a parameter's name: an unescaped character before it ended the password too early. */
const misread = /^\s*[a-z]+:\/\/[^/?#]*(?:\/[^?#]*@|(?:\/[^?#]*)?\?[^=&#]*@|[^#]*#.*@)/i

const misreadText =
  'Expecting a URL whose user, password and database are percent-encoded: an @ after the host shows that a / ? # or @ is not (%2F %3F %23 %40)'

/** Why the URL of a PostgreSQL is refused; null if the URL alone shows no mistake. */
export function databaseUrlRefusal(given: string): string | null {
  const file = dynamicFileOf(given)
  if (file !== null) return isAbsolute(file) ? null : 'Only expecting the absolute path of a file'
  const url = spelledOut(given)
  const scheme = URL.canParse(url) ? new URL(url).protocol : null
  if (misread.test(given)) return misreadText
  const badHosts = refusalOfHosts(url)
  if (badHosts !== null) return badHosts
  if (scheme !== null && databaseSchemes.includes(scheme)) return null
  return 'Only expecting a URL such as postgres://user:password@host:5432/database, special characters percent-encoded'
}

/** A property's name is the option's key in the configuration file. */
export const databaseOptions = {
  databaseUrl: text({
    flag: 'database-url',
    variable: 'DATABASE_URL',
    placeholder: 'URL',
    secret: true,
    json: 'text or object',
    shown: redactedUrl,
    check: databaseUrlRefusal,
    description:
      'PostgreSQL to serve, postgres://user:password@host:port/database; without it the embedded one. {"dynamic_from_file": "/path"}: the URL in a file, read for each connection',
  }),
  databaseHost: text({ flag: 'host', placeholder: 'HOST', description: 'host of PostgreSQL, instead of a URL' }),
  databasePort: wholeOrNone(
    { minimum: 1, maximum: 65535 },
    { flag: 'port', short: 'p', placeholder: 'N', description: 'port of PostgreSQL' },
  ),
  databaseUser: text({ flag: 'user', short: 'u', placeholder: 'NAME', description: 'user of PostgreSQL' }),
  databasePassword: text({ flag: 'password', placeholder: 'TEXT', secret: true, description: 'its password' }),
  databaseName: text({ flag: 'dbname', short: 'd', placeholder: 'NAME', description: 'database of PostgreSQL' }),
  databaseOptions: text({
    flag: 'pg-connection-options',
    short: 'o',
    placeholder: 'TEXT',
    description: 'options for the PostgreSQL session, such as -c search_path=app',
  }),
  metadataDatabaseUrl: text({
    flag: 'metadata-database-url',
    variable: 'METADATA_DATABASE_URL',
    placeholder: 'URL',
    secret: true,
    json: 'text or object',
    shown: redactedUrl,
    check: databaseUrlRefusal,
    description:
      'for configurations of version 2: PostgreSQL to serve when no other is given; the metadata are always stored in the served one',
  }),
  dynamicSecretsAllowedPathPrefix: text({
    flag: 'dynamic-secrets-allowed-path-prefix',
    variable: 'DYNAMIC_SECRETS_ALLOWED_PATH_PREFIX',
    placeholder: 'DIR',
    description: 'directory that contains the files of "dynamic_from_file"; others are refused',
  }),
  retries: whole(
    1,
    { minimum: 0 },
    {
      flag: 'retries',
      variable: 'NO_OF_RETRIES',
      placeholder: 'N',
      description: 'further attempts to connect to PostgreSQL at start, one second apart',
    },
  ),
  stripes: whole(
    1,
    { minimum: 1, maximum: 1000 },
    {
      flag: 'stripes',
      short: 's',
      variable: 'PG_STRIPES',
      placeholder: 'N',
      description: 'multiplies --connections, for configurations of v1.3',
    },
  ),
  connections: whole(
    44,
    { minimum: 1 },
    {
      divided: true,
      flag: 'connections',
      short: 'c',
      variable: 'PG_CONNECTIONS',
      placeholder: 'N',
      description: 'largest number of pooled connections to PostgreSQL; four more have other uses',
    },
  ),
  connectTimeout: whole(
    5,
    { minimum: 1, maximum: 86_400 },
    {
      flag: 'connect-timeout',
      variable: 'PG_CONNECT_TIMEOUT',
      placeholder: 'SECONDS',
      description: 'how long connecting to PostgreSQL may take while the server runs',
    },
  ),
  poolTimeout: whole(
    15,
    { minimum: 1, maximum: 86_400 },
    {
      flag: 'pool-timeout',
      variable: 'PG_POOL_TIMEOUT',
      placeholder: 'SECONDS',
      description: 'how long a request waits for a connection before it is answered with 503',
    },
  ),
  callerShare: whole(
    75,
    { minimum: 10, maximum: 100 },
    {
      flag: 'caller-share',
      variable: 'CALLER_SHARE',
      placeholder: 'PERCENT',
      description:
        'largest part of the connections, and of the statements for subscriptions, that one session at one address takes; 100: all',
    },
  ),
  timeout: whole(
    180,
    { minimum: 0 },
    {
      flag: 'timeout',
      variable: 'PG_TIMEOUT',
      placeholder: 'SECONDS',
      description: 'time after which an idle pooled connection is closed',
    },
  ),
  connLifetime: whole(
    600,
    { minimum: 0 },
    {
      flag: 'conn-lifetime',
      variable: 'PG_CONN_LIFETIME',
      placeholder: 'SECONDS',
      description: 'time after which a pooled connection is replaced; 0 means never',
    },
  ),
  usePreparedStatements: trueOrFalse(true, {
    flag: 'use-prepared-statements',
    variable: 'USE_PREPARED_STATEMENTS',
    description: 'off for proxies that pool transactions',
  }),
  txIsolation: choice(['read-committed', 'repeatable-read', 'serializable'], 'read-committed', {
    flag: 'tx-iso',
    short: 'i',
    variable: 'TX_ISOLATION',
    placeholder: 'LEVEL',
    description: 'isolation of transactions: read-committed, repeatable-read or serializable',
  }),
}

/** The values of these options. */
export type DatabaseSettings = SettingsOf<typeof databaseOptions>

/** Why a file with the address of the database is refused; null if it may be read. `prefix` is that of variables. */
export function dynamicFileRefusal(settings: Partial<DatabaseSettings>, prefix: string): string | null {
  const { databaseUrl = null, metadataDatabaseUrl = null, dynamicSecretsAllowedPathPrefix: directory = null } = settings
  if (directory === null) return null
  const isBelow = (file: string, above: string) => normalize(file).startsWith(normalize(above + sep))
  for (const given of [databaseUrl, metadataDatabaseUrl]) {
    const file = given === null ? null : dynamicFileOf(given)
    if (file === null || (isBelow(file, directory) && isBelow(targetOf(file), targetOf(directory)))) continue
    const option = `--dynamic-secrets-allowed-path-prefix (${prefix}DYNAMIC_SECRETS_ALLOWED_PATH_PREFIX)`
    return `Fatal Error : the file ${JSON.stringify(file)} of the database URL is not in the directory of ${option}`
  }
  return null
}

/** The path that symbolic links lead to; of a path that cannot be followed, the path itself. */
function targetOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
