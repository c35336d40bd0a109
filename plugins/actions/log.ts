// The lines about calls of webhooks.

/** One answered call, in bytes. */
export interface ActionHandlerLog {
  readonly request_size: number
  readonly response_size: number
}

declare module '../../sdk/registry.ts' {
  interface LogKinds {
    'action-handler-log': ActionHandlerLog
  }
}
