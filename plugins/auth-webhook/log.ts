// The log type for calls of the webhook.

/** One call of the authentication webhook. */
export interface WebhookLog {
  readonly status_code: number | null
  readonly url: string
  readonly method: string
  readonly http_error: { readonly type: 'invalid_url' | 'http_exception'; readonly message: string } | null
  /** The response body, if it has an error. */
  readonly response: string | null
  readonly message: string | null
}

declare module '../../sdk/registry.ts' {
  interface LogKinds {
    'webhook-log': WebhookLog
  }
}
