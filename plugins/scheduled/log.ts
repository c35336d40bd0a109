// Log lines of scheduled deliveries.

/** One attempt to deliver an event. */
export interface ScheduledTriggerLog {
  readonly request: { readonly size: number }
  readonly context: { readonly event_id: string }
  readonly response: unknown
}

declare module '../../sdk/registry.ts' {
  interface LogKinds {
    'scheduled-trigger': ScheduledTriggerLog | { readonly message: string }
  }
}
