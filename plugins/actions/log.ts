// Log lines of webhook calls.

/** An answered call; sizes in bytes. */
export interface ActionHandlerLog {
  readonly request_size: number
  readonly response_size: number
}

declare module '../../sdk/registry.ts' {
  interface LogKinds {
    'action-handler-log': ActionHandlerLog
  }
}
