// The types of everything that can be logged.

import type { LogKinds } from '../../sdk/registry.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'critical'

/** One answered HTTP request. Members of `operation` without a value are omitted. */
export interface HttpLog {
  readonly http_info: {
    readonly status: number
    readonly method: string
    readonly ip: string
    /** The path without the query string. */
    readonly url: string
    readonly http_version: string
    readonly content_encoding: string | null
  }
  readonly operation: {
    readonly request_id: string
    readonly user_vars?: Readonly<Record<string, string>>
    readonly response_size?: number
    /** Seconds. */
    readonly request_read_time?: number
    readonly query_execution_time?: number
    /** For failures: the parsed body, or its text if it could not be parsed. */
    readonly query?: unknown
    readonly raw_query?: string
    readonly error?: unknown
  }
}

/** One GraphQL request and the SQL generated from it. */
export interface QueryLog {
  readonly request_id: string
  readonly query: { readonly query: string; readonly variables?: unknown; readonly operationName?: string | null }
  readonly generated_sql: Readonly<Record<string, GeneratedSql | null>> | null
}

export interface GeneratedSql {
  readonly query: string
  readonly prepared_arguments: readonly unknown[]
}

export interface StartupLog {
  readonly kind:
    | 'server_configuration'
    | 'postgres_connection'
    | 'catalog_migrate'
    | 'plugins'
    | 'resolve_source'
    | 'server'
  readonly info: unknown
}

/** The detail of each log type. Plugins add their types through the SDK's registry. */
export interface LogDetails extends LogKinds {
  startup: StartupLog
  'http-log': HttpLog
  'query-log': QueryLog
  metadata: { readonly message: string; readonly info: unknown }
  'pg-client': { readonly message: string }
  'embedded-postgres': { readonly message: string }
  unstructured: string
}

export type LogType = keyof LogDetails

/** One line of the log. `message`: the event in a few words; by default the `message` of the detail, or the type. */
export type LogEntry = {
  [T in LogType]: {
    readonly type: T
    readonly level: LogLevel
    readonly detail: LogDetails[T]
    readonly message?: string
  }
}[LogType]

/** Receives log entries. */
export interface Observer {
  /** Whether such an entry would be written. Check it before building an expensive entry. */
  isEnabled(type: LogType, level: LogLevel): boolean
  log(entry: LogEntry): void
  /** Writes buffered lines; call it before the process ends. */
  flush(): void
}
