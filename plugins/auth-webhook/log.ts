// The lines about calls of the webhook.

/** One call of the webhook that authenticates. */
export interface WebhookLog {
  readonly status_code: number | null
  readonly url: string
  readonly method: string
  readonly http_error: { readonly type: 'invalid_url' | 'http_exception'; readonly message: string } | null
  /** Its body, when something is wrong with it. */
  readonly response: string | null
  readonly message: string | null
}

declare module '../../sdk/registry.ts' {
  interface LogKinds {
    'webhook-log': WebhookLog
  }
}
