// What a start tells: a few lines for the person (on stderr, since stdout is the log), and entries for the log.

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { hasAdminSecret } from '../core/auth/option-rules.ts'
import { version } from '../core/engine/version.ts'
import { describeDomains } from '../core/http/cors.ts'
import { type Listening, listeningOf } from '../core/http/hosts.ts'
import type { LogEntry } from '../core/log/observe.ts'
import { dialects } from '../core/names/dialect.ts'
import { environment } from '../core/options/environment.ts'
import { liveQueryOptions, type Settings } from '../core/options/options.ts'
import { redactedUrl } from '../core/options/redaction.ts'
import { loggableUrl } from '../core/outgoing/url.ts'

/** What the banner shows. */
export interface BannerFacts {
  readonly settings: Settings
  readonly port: number
  readonly plugins: readonly string[]
  readonly apis: readonly string[]
  /** The embedded database: the file with its URL, and whether there is a psql to open it with; null: another is served. */
  readonly embedded: { readonly urlFile: string; readonly hasPsql: boolean } | null
  /** The files that options were read from. */
  readonly files: readonly string[]
  readonly unknownVariables: readonly string[]
}

const endpoints: Readonly<Record<string, readonly [string, string]>> = {
  graphql: ['GraphQL', '/v1/graphql'],
  metadata: ['Metadata', '/v1/query'],
}

/** The lines that are shown once the server listens. */
export function bannerText(facts: BannerFacts): string {
  const { settings, apis, files, unknownVariables } = facts
  const listening = listeningOf(settings)
  const origin = `http://${hostShown(listening)}:${facts.port}`
  const open = apis.flatMap((api) => (endpoints[api] ? [endpoints[api]] : []))
  const lines: (readonly [string, string])[] = [
    ['Listening', origin + reachNote(listening, settings)],
    ...open.map(([name, path]) => [name, origin + path] as const),
    ['APIs', apis.join(', ') || 'none'],
    ['Plugins', facts.plugins.join(', ')],
    ['Database', databaseLine(facts)],
    ['Access', accessLine(settings, listening)],
  ]
  if (settings.enableConsole) lines.push(['Console', noConsole])
  if (files.length > 0) lines.push(['Options', `from ${files.join(' and ')}, beside flags and variables`])
  if (unknownVariables.length > 0) lines.push(['Ignored', `${unknownVariables.join(', ')}: no such option`])
  const width = Math.max(...lines.map(([name]) => name.length))
  const text = lines.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)
  return `${[`Trellis ${version}`, ...text].join('\n')}\n`
}

function hostShown({ reach, host }: Listening): string {
  if (reach === 'everywhere') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/** Who can connect, where the address does not say it. */
function reachNote({ reach }: Listening, { serverHost }: Settings): string {
  if (reach === 'everywhere') return ' (all addresses of this machine)'
  if (reach === 'address') return ''
  return serverHost === null ? " (this machine only, --server-host '*' for others)" : ' (this machine only)'
}

const noConsole = '--enable-console has no effect: there is no console'

function databaseLine({ settings, embedded }: BannerFacts): string {
  if (embedded === null) return redactedUrl(settings.databaseUrl ?? '')
  const { urlFile, hasPsql } = embedded
  if (!hasPsql) return `embedded PostgreSQL, its URL is in ${urlFile}`
  return `embedded PostgreSQL, psql "$(cat '${urlFile.replaceAll("'", `'\\''`)}')"`
}

/** Whether a program of this name can be called. */
export function isOnPath(program: string): boolean {
  return (environment['PATH'] ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK)
      return directory !== ''
    } catch {
      return false
    }
  })
}

function accessLine(settings: Settings, { reach }: Listening): string {
  const { unauthorizedRole, authHook, jwtSecret } = settings
  if (!hasAdminSecret(settings)) {
    const trusted = reach === 'machine' ? 'every program of this machine' : 'whoever can reach this machine'
    return `OPEN: no admin secret is set, so ${trusted} is trusted (--admin-secret)`
  }
  const rest = unauthorizedRole === null ? 'refused' : `role ${unauthorizedRole}`
  const others =
    authHook !== null ? 'the webhook decides' : jwtSecret !== null ? `by token, without one: ${rest}` : rest
  return `guarded by the admin secret, requests without it: ${others}`
}

/** The configuration as the log has it; `apis`: those that are open. */
export function configurationEntry(settings: Settings, apis: readonly string[]): LogEntry {
  const info = {
    port: settings.serverPort,
    server_host: listeningOf(settings).host,
    transaction_isolation: settings.txIsolation,
    admin_secret_set: settings.adminSecret !== null,
    auth_hook: settings.authHook === null ? null : loggableUrl(settings.authHook),
    auth_hook_mode: settings.authHook === null ? null : settings.authHookMode,
    jwt_secret: settings.jwtSecret === null ? null : { type: '<TYPE REDACTED>', key: '<JWK REDACTED>' },
    unauth_role: settings.unauthorizedRole,
    cors_config: {
      disabled: settings.disableCors,
      ws_read_cookie: null,
      allowed_origins: settings.disableCors ? null : describeDomains(settings.corsDomain),
    },
    enable_console: settings.enableConsole,
    console_assets_dir: null,
    enable_telemetry: settings.enableTelemetry,
    use_prepared_statements: settings.usePreparedStatements,
    stringify_numeric_types: settings.stringifyNumericTypes,
    enabled_apis: apis,
    live_query_options: liveQueryOptions,
    enable_allowlist: settings.enableAllowlist,
    enabled_log_types: settings.enabledLogTypes,
    log_level: settings.logLevel,
    plan_cache_options: { plan_cache_size: settings.queryPlanCacheSize },
  }
  return { type: 'startup', level: 'info', detail: { kind: 'server_configuration', info } }
}

/** What of the options has no effect, as the log has it. */
export const noConsoleEntry: LogEntry = { type: 'unstructured', level: 'warn', detail: noConsole }

/** Which files options came from, as the log has it. */
export function filesEntry(files: readonly string[]): LogEntry {
  return { type: 'unstructured', level: 'info', detail: `read options from ${files.join(' and ')}` }
}

/** Which database is served, as the log has it. */
export function connectionEntry(settings: Settings): LogEntry {
  const info = { retries: settings.retries, database_url: redactedUrl(settings.databaseUrl ?? '') }
  return { type: 'startup', level: 'info', detail: { kind: 'postgres_connection', info } }
}

/** That the server listens, as the log has it; `seconds` since the process began. */
export function listeningEntry(settings: Settings, port: number, seconds: number): LogEntry {
  const place = dialects[settings.dialect].plainLog ? {} : { port }
  const info = { message: 'starting API server', ...place, time_taken: seconds }
  return { type: 'startup', level: 'info', detail: { kind: 'server', info } }
}
