// Log lines of event deliveries.

/** One attempt to deliver an event. */
export interface EventTriggerLog {
  readonly request: { readonly size: number }
  readonly context: { readonly event_id: string; readonly event_created_at: string }
  readonly response: unknown
}

declare module '../../sdk/registry.ts' {
  interface LogKinds {
    'event-trigger': EventTriggerLog | { readonly message: string }
  }
}
