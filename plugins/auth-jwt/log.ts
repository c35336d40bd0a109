// The log type for fetching keys.

/** The result of a refresh. */
export interface JwkRefreshLog {
  readonly message: string
  readonly error: string | null
}

declare module '../../sdk/registry.ts' {
  interface LogKinds {
    'jwk-refresh-log': JwkRefreshLog
  }
}
