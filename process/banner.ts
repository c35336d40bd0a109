// The output of a start: a few lines for the person (on stderr, because stdout is the log), and entries for the log.

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { authenticationOf, hasAdminSecret } from '../core/auth/option-rules.ts'
import type { AllSettings, Settings } from '../core/engine/options.ts'
import type { ConfigurationEntry } from '../core/engine/plugin.ts'
import { describeDomains } from '../core/http/front/cors.ts'
import { type Listening, listeningOf } from '../core/http/front/hosts.ts'
import type { Route } from '../core/http/route/declared-route.ts'
import type { LogEntry } from '../core/log/observe.ts'
import { dialects } from '../core/names/dialect.ts'
import { version } from '../core/names/version.ts'
import { environment } from '../core/options/environment.ts'
import type { Option } from '../core/options/option-values.ts'
import { redactedUrl } from '../core/options/redaction.ts'

/** The facts that the banner shows. */
export interface BannerFacts {
  readonly settings: AllSettings
  readonly options: readonly Option[]
  readonly port: number
  readonly plugins: readonly string[]
  readonly apis: readonly string[]
  /** The open routes. */
  readonly routes: readonly Pick<Route, 'url' | 'shownAs'>[]
  /** The embedded database: the file with its URL, and whether psql is installed; null: another database is served. */
  readonly embedded: { readonly urlFile: string; readonly hasPsql: boolean } | null
  /** The files that options came from. */
  readonly files: readonly string[]
  readonly unknownVariables: readonly string[]
}

/** The lines shown once the server listens. */
export function bannerText(facts: BannerFacts): string {
  const { settings, apis, routes, files, unknownVariables } = facts
  const listening = listeningOf(settings)
  const origin = `http://${hostShown(listening)}:${facts.port}`
  const shown = routes.flatMap(({ shownAs, url }) => (shownAs === undefined ? [] : [[shownAs, origin + url] as const]))
  const lines: (readonly [string, string])[] = [
    ['Listening', origin + reachNote(listening, settings)],
    ...shown,
    ...pagesTurnedOff(facts),
    ['APIs', apis.join(', ') || 'none'],
    ...(settings.logLevel === 'debug' ? [['Plugins', facts.plugins.join(', ')] as const] : []),
    ...(settings.workers === '1' ? [] : [['Workers', settings.workers] as const]),
    ['Database', databaseLine(facts)],
    ['Access', accessLine(facts, listening)],
  ]
  if (files.length > 0) lines.push(['Options', `from ${files.join(' and ')}, beside flags and variables`])
  const { databaseUrl, metadataDatabaseUrl: unused } = settings
  if (unused !== null && unused !== databaseUrl) {
    lines.push(['Ignored', '--metadata-database-url: the metadata are stored in the served database'])
  }
  if (unknownVariables.length > 0) lines.push(['Ignored', `${unknownVariables.join(', ')}: no such option`])
  const width = Math.max(...lines.map(([name]) => name.length))
  const text = lines.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)
  return `${[`Trellis ${version}`, ...text].join('\n')}\n`
}

/** The pages that are not served, with the option that turns them on. */
function pagesTurnedOff({ options, settings, routes, apis }: BannerFacts): (readonly [string, string])[] {
  return options.flatMap(({ key, declaration: { turnsOn, flag } }) => {
    if (turnsOn === undefined || settings[key] === true || !apis.includes(turnsOn.api)) return []
    if (routes.some(({ shownAs }) => shownAs === turnsOn.page)) return []
    return [[turnsOn.page, `off (--${flag} turns it on)`] as const]
  })
}

function hostShown({ reach, host }: Listening): string {
  if (reach === 'everywhere') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/** Which clients can connect, if the address does not show it. */
function reachNote({ reach }: Listening, { serverHost }: Settings): string {
  if (reach === 'everywhere') return ' (all addresses of this machine)'
  if (reach === 'address') return ''
  return serverHost === null ? " (this machine only, --server-host '*' for others)" : ' (this machine only)'
}

function databaseLine({ settings, embedded }: BannerFacts): string {
  if (embedded === null) return redactedUrl(settings.databaseUrl ?? '')
  const { urlFile, hasPsql } = embedded
  if (!hasPsql) return `embedded PostgreSQL, its URL is in ${urlFile}`
  return `embedded PostgreSQL, psql "$(cat '${urlFile.replaceAll("'", `'\\''`)}')"`
}

/** Whether a program of this name is on the PATH. */
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

function accessLine({ settings, options }: BannerFacts, { reach }: Listening): string {
  const { unauthorizedRole } = settings
  if (!hasAdminSecret(settings)) {
    const trusted = reach === 'machine' ? 'every program of this machine' : 'everybody who can reach this machine'
    return `OPEN: no admin secret is set, so ${trusted} is trusted (--admin-secret)`
  }
  const rest = unauthorizedRole === null ? 'refused' : `role ${unauthorizedRole}`
  const way = authenticationOf(options, settings)
  const others = way === null ? rest : way.alone ? `the ${way.by} decides` : `by ${way.by}, without one: ${rest}`
  return `guarded by the admin secret, requests without it: ${others}`
}

/** The log's entries about core's options; plugins add theirs. */
function ownEntries(settings: AllSettings, apis: readonly string[]): ConfigurationEntry[] {
  const { disableCors } = settings
  const cors = {
    disabled: disableCors,
    // An option of the subscriptions plugin, which may be absent.
    ws_read_cookie: disableCors ? settings['wsReadCookie'] === true : null,
    allowed_origins: disableCors ? null : describeDomains(settings.corsDomain),
  }
  return [
    { key: 'port', place: 10, value: settings.serverPort },
    { key: 'server_host', place: 20, value: listeningOf(settings).host },
    ...(settings.workers === '1' ? [] : [{ key: 'workers', place: 25, value: Number(settings.workers) }]),
    { key: 'transaction_isolation', place: 30, value: settings.txIsolation },
    { key: 'admin_secret_set', place: 40, value: settings.adminSecret !== null },
    { key: 'unauth_role', place: 50, value: settings.unauthorizedRole },
    { key: 'cors_config', place: 60, value: cors },
    { key: 'console_assets_dir', place: 80, value: settings.consoleAssetsDir },
    { key: 'enable_telemetry', place: 90, value: settings.enableTelemetry },
    { key: 'use_prepared_statements', place: 100, value: settings.usePreparedStatements },
    { key: 'stringify_numeric_types', place: 110, value: settings.stringifyNumericTypes },
    { key: 'enabled_apis', place: 120, value: apis },
    { key: 'enabled_log_types', place: 130, value: settings.enabledLogTypes },
    { key: 'log_level', place: 140, value: settings.logLevel },
    { key: 'plan_cache_options', place: 150, value: { plan_cache_size: settings.queryPlanCacheSize } },
  ]
}

/** The configuration as a log entry; `apis` are the open ones, `ofPlugins` the plugins' own entries. */
export function configurationEntry(
  settings: AllSettings,
  apis: readonly string[],
  ofPlugins: readonly ConfigurationEntry[],
): LogEntry {
  const entries = [...ownEntries(settings, apis), ...ofPlugins].sort((a, b) => a.place - b.place)
  const info = Object.fromEntries(entries.map(({ key, value }) => [key, value]))
  return { type: 'startup', level: 'info', detail: { kind: 'server_configuration', info } }
}

/** The log entry about the files that options came from. */
export function filesEntry(files: readonly string[]): LogEntry {
  return { type: 'unstructured', level: 'info', detail: `read options from ${files.join(' and ')}` }
}

/** The log entry about the served database. */
export function connectionEntry(settings: Settings): LogEntry {
  const info = { retries: settings.retries, database_url: redactedUrl(settings.databaseUrl ?? '') }
  return { type: 'startup', level: 'info', detail: { kind: 'postgres_connection', info } }
}

/** The log entry that the server listens; `seconds` since the process began. */
export function listeningEntry(settings: Settings, port: number, seconds: number): LogEntry {
  const place = dialects[settings.dialect].plainLog ? {} : { port }
  const info = { message: 'starting API server', ...place, time_taken: seconds }
  return { type: 'startup', level: 'info', detail: { kind: 'server', info } }
}
