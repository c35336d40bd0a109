// Every option of core, declared once: its type, flag, environment variable, key of the configuration file (the property's
// name), default and description. Plugins declare theirs in the same way; the parser, `--help` and the reference page are
// made from all of them.

import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { secretsRefusal } from '../auth/secrets.ts'
import { spelledOut } from '../database/wire/connection-url.ts'
import { refusalOfEgress } from '../outgoing/egress.ts'
import { checkCorsDomains, checkDatabaseUrl } from './option-checks.ts'
import {
  choice,
  choiceOrNone,
  flagOnly,
  list,
  listOf,
  text,
  textWithDefault,
  trueOrFalse,
  whole,
  wholeOrNone,
} from './option-kinds.ts'
import type { Option, OptionDeclaration } from './option-values.ts'
import { redactedUrl } from './redaction.ts'

/** The kinds of log lines that may be switched off. */
export const configurableLogTypes = [
  'startup',
  'query-log',
  'http-log',
  'webhook-log',
  'websocket-log',
  'livequery-poller-log',
  'action-handler-log',
] as const

/** The options; a property's name is its key in the configuration file. */
const SettingsSchema = Type.Object({
  config: text({
    flag: 'config',
    variable: 'CONFIG',
    placeholder: 'FILE',
    description:
      'file with options, YAML or JSON with comments; without it trellis.config.json, .jsonc, .yaml or .yml is read when it exists',
  }),
  dialect: choice(['trellis', 'hasura'], 'trellis', {
    flag: 'dialect',
    variable: 'DIALECT',
    placeholder: 'NAME',
    description: 'set of names on the wire: trellis, or hasura for projects that move over',
  }),
  dataDir: textWithDefault('.trellis', {
    flag: 'data-dir',
    variable: 'DATA_DIR',
    placeholder: 'DIR',
    description: 'directory of the embedded PostgreSQL',
  }),
  plugins: list([], {
    flag: 'plugin',
    variable: 'PLUGINS',
    placeholder: 'PLUGIN',
    description: 'paths or package names of plugins to load beside the built-in ones; the flag may be repeated',
  }),

  databaseUrl: text({
    flag: 'database-url',
    variable: 'DATABASE_URL',
    placeholder: 'URL',
    secret: true,
    shown: redactedUrl,
    check: checkDatabaseUrl,
    description: 'PostgreSQL to serve, postgres://user:password@host:port/database; without it the embedded one',
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

  serverPort: whole(
    8080,
    { minimum: 0, maximum: 65535 },
    {
      flag: 'server-port',
      variable: 'SERVER_PORT',
      placeholder: 'N',
      description: 'port to serve on; 0 takes a free one',
    },
  ),
  serverHost: text({
    flag: 'server-host',
    variable: 'SERVER_HOST',
    placeholder: 'HOST',
    description:
      'address to serve on; * means all of this machine, which is the default with an admin secret, localhost without one',
  }),
  maxBodySize: whole(
    20_971_520,
    { minimum: 1024 },
    {
      flag: 'max-body-size',
      variable: 'MAX_BODY_SIZE',
      placeholder: 'BYTES',
      description: 'largest request body that is read',
    },
  ),
  requestReadTimeout: whole(
    300,
    { minimum: 1 },
    {
      flag: 'request-read-timeout',
      variable: 'REQUEST_READ_TIMEOUT',
      placeholder: 'SECONDS',
      description: 'a request that has not arrived whole after so long, or its headers after 60 seconds, is cut off',
    },
  ),
  responseStallTimeout: whole(
    60,
    { minimum: 1 },
    {
      flag: 'response-stall-timeout',
      variable: 'RESPONSE_STALL_TIMEOUT',
      placeholder: 'SECONDS',
      description: 'a client that reads nothing of its response for so long is cut off',
    },
  ),
  responseSendTimeout: whole(
    600,
    { minimum: 1 },
    {
      flag: 'response-send-timeout',
      variable: 'RESPONSE_SEND_TIMEOUT',
      placeholder: 'SECONDS',
      description: 'a client that has not taken its whole response after so long is cut off, however it reads',
    },
  ),
  gracefulShutdownTimeout: whole(
    30,
    { minimum: 0, maximum: 86_400 },
    {
      flag: 'graceful-shutdown-timeout',
      variable: 'GRACEFUL_SHUTDOWN_TIMEOUT',
      placeholder: 'SECONDS',
      description: 'how long requests in flight may take to end when the server stops',
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
  timeout: whole(
    180,
    { minimum: 0 },
    {
      flag: 'timeout',
      variable: 'PG_TIMEOUT',
      placeholder: 'SECONDS',
      description: 'an idle pooled connection is closed after so long',
    },
  ),
  connLifetime: whole(
    600,
    { minimum: 0 },
    {
      flag: 'conn-lifetime',
      variable: 'PG_CONN_LIFETIME',
      placeholder: 'SECONDS',
      description: 'a pooled connection is replaced after so long; 0 means never',
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

  adminSecret: text({
    flag: 'admin-secret',
    variable: 'ADMIN_SECRET',
    json: 'list',
    placeholder: 'TEXT',
    secret: true,
    check: secretsRefusal,
    description:
      'who sends it is trusted with any role; without one everybody is. A JSON array of texts: any one of them',
  }),
  accessKey: text({
    flag: 'access-key',
    variable: 'ACCESS_KEY',
    json: 'list',
    placeholder: 'TEXT',
    secret: true,
    check: secretsRefusal,
    description: 'former name of --admin-secret, which wins',
  }),
  unauthorizedRole: text({
    flag: 'unauthorized-role',
    variable: 'UNAUTHORIZED_ROLE',
    placeholder: 'ROLE',
    description: 'role of requests without admin secret and token; without it they are refused',
  }),
  corsDomain: list(['*'], {
    flag: 'cors-domain',
    variable: 'CORS_DOMAIN',
    placeholder: 'ORIGINS',
    check: checkCorsDomains,
    description: 'origins that browsers may call from: *, or scheme://host[:port] where the first label may be *',
  }),
  disableCors: flagOnly({
    flag: 'disable-cors',
    variable: 'DISABLE_CORS',
    description: 'answer no cross-origin requests of browsers',
  }),

  stringifyNumericTypes: flagOnly({
    flag: 'stringify-numeric-types',
    variable: 'STRINGIFY_NUMERIC_TYPES',
    description: 'send bigint, numeric and double precision as JSON strings',
  }),
  v1BooleanNullCollapse: flagOnly({
    flag: 'v1-boolean-null-collapse',
    variable: 'V1_BOOLEAN_NULL_COLLAPSE',
    description:
      'a null comparison or expression in a where argument is true, as in dialect hasura, instead of being refused',
  }),
  enabledApis: Type.Union([Type.Array(Type.String({ minLength: 1 })), Type.Null()], {
    default: null,
    option: {
      kind: 'list',
      flag: 'enabled-apis',
      variable: 'ENABLED_APIS',
      placeholder: 'NAMES',
      description: 'APIs to open, such as metadata,graphql,config; without it those that plugins open by default',
    },
  }),
  queryPlanCacheSize: whole(
    4000,
    { minimum: 0, maximum: 65535 },
    {
      flag: 'query-plan-cache-size',
      variable: 'QUERY_PLAN_CACHE_SIZE',
      placeholder: 'N',
      description: 'number of documents to keep with their query plans; 0 means none',
    },
  ),
  enabledLogTypes: listOf(configurableLogTypes, ['startup', 'http-log', 'webhook-log', 'websocket-log'], {
    flag: 'enabled-log-types',
    variable: 'ENABLED_LOG_TYPES',
    placeholder: 'NAMES',
    refusal: `Valid list of comma-separated log types: ${JSON.stringify(configurableLogTypes)}`,
    description: `kinds of log lines to write, of ${configurableLogTypes.join(', ')}`,
  }),
  logLevel: choice(['debug', 'info', 'warn', 'error'], 'info', {
    flag: 'log-level',
    variable: 'LOG_LEVEL',
    placeholder: 'LEVEL',
    refusal: 'Valid log levels: debug, info, warn or error',
    description: 'least level of log lines to write: debug, info, warn or error',
  }),
  logFormat: choiceOrNone(['json', 'pretty'], {
    flag: 'log-format',
    variable: 'LOG_FORMAT',
    placeholder: 'FORMAT',
    description: 'how log lines are written: json, or pretty for people; without it pretty on a terminal, else json',
  }),
  devMode: flagOnly({
    flag: 'dev-mode',
    variable: 'DEV_MODE',
    description: 'show the internals of errors to every role',
  }),
  adminInternalErrors: trueOrFalse(true, {
    flag: 'admin-internal-errors',
    variable: 'ADMIN_INTERNAL_ERRORS',
    description: 'show the internals of errors to the role admin',
  }),
  egress: choice(['any', 'deny-private'], 'any', {
    flag: 'egress',
    variable: 'EGRESS',
    placeholder: 'POLICY',
    description: 'what requests to other servers may reach: any, or deny-private for the internet alone',
  }),
  egressAllow: list([], {
    flag: 'egress-allow',
    variable: 'EGRESS_ALLOW',
    placeholder: 'HOSTS',
    check: refusalOfEgress,
    description: 'hosts, addresses and networks such as 10.1.0.0/16 that may be reached under deny-private',
  }),
  enableTelemetry: trueOrFalse(false, {
    flag: 'enable-telemetry',
    variable: 'ENABLE_TELEMETRY',
    description: 'accepted for configurations of v1.3: nothing is ever sent',
  }),
  consoleAssetsDir: text({
    flag: 'console-assets-dir',
    variable: 'CONSOLE_ASSETS_DIR',
    placeholder: 'DIR',
    description: 'accepted for configurations of v1.3, whose console is not there: nothing is read',
  }),
})

/** The options of core with their values, as everything but the process reads them. */
export type Settings = Readonly<Static<typeof SettingsSchema>>

/** What a program gives: values by the keys of options, those of plugins among them. What is undefined is not given. */
export type GivenSettings = { readonly [K in keyof Settings]?: Settings[K] | undefined } & Readonly<
  Record<string, unknown>
>

/** The same with all defaults of core. */
export type AllSettings = Settings & Readonly<Record<string, unknown>>

/** The options that these types declare. */
export const optionsIn = (properties: Readonly<Record<string, TSchema>>): readonly Option[] =>
  Object.entries(properties).map(([key, schema]) => ({
    key,
    declaration: schema.option as OptionDeclaration,
    schema,
    default: schema.default,
  }))

/** Core's options in the order of the help text. */
export const coreOptions: readonly Option[] = optionsIn(SettingsSchema.properties)

const defaults = Object.fromEntries(coreOptions.map((option) => [option.key, option.default])) as Settings

/** Settings with every default of core, for code that starts an engine of its own; what is undefined is not given. */
export function defaultSettings(overrides: GivenSettings = {}): AllSettings {
  const given = Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined))
  const { databaseUrl: url } = overrides
  // A program may give anything; what is no text is refused with the other values.
  return { ...defaults, ...given, ...(typeof url === 'string' && { databaseUrl: spelledOut(url) }) }
}
