// The lines about fetching keys.

/** What happened when the keys were fetched again. */
export interface JwkRefreshLog {
  readonly message: string
  readonly error: string | null
}

declare module '../../sdk/registry.ts' {
  interface LogKinds {
    'jwk-refresh-log': JwkRefreshLog
  }
}
