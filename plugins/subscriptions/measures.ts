// Metrics of subscriptions.

import type { Measure } from '../../sdk/index.ts'

/** Current numbers; `bytes` and `polls` count since the start. */
export interface Activity {
  readonly sockets: number
  readonly eventStreams: number
  readonly subscribers: number
  readonly groups: number
  readonly cohorts: number
  readonly polls: number
  readonly bytes: { readonly sent: number; readonly received: number }
  /** Adds a listener for each statement that answered a batch. */
  onBatch(listener: (batch: AnsweredBatch) => void): void
}

/** Milliseconds. */
export interface AnsweredBatch {
  readonly asked: number
  readonly sinceNoticed: number
}

/** Upper bounds in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The metrics of subscriptions. */
export function subscriptionMeasures(activity: Activity): readonly Measure[] {
  const read = (kind: 'counter' | 'gauge', name: string, help: string, value: () => number): Measure => ({
    ...{ kind, name, help },
    read: () => [{ value: value() }],
  })
  const histogram = (name: string, help: string, seconds: (batch: AnsweredBatch) => number): Measure => ({
    ...{ kind: 'histogram', name, help, buckets },
    observeBy: (observe) => activity.onBatch((batch) => observe(seconds(batch))),
  })
  return [
    read('gauge', 'websockets', 'Open websockets', () => activity.sockets),
    read('gauge', 'event_streams', 'Open streams of server-sent events', () => activity.eventStreams),
    read('gauge', 'subscribers', 'Running subscriptions', () => activity.subscribers),
    read('gauge', 'subscription_groups', 'Statements that answer subscriptions', () => activity.groups),
    read('gauge', 'subscription_cohorts', 'Distinct sets of values for these statements', () => activity.cohorts),
    read('counter', 'subscription_polls_total', 'Polls for changes', () => activity.polls),
    read('counter', 'websocket_sent_bytes_total', 'Bytes of messages sent', () => activity.bytes.sent),
    read('counter', 'websocket_received_bytes_total', 'Bytes of messages received', () => activity.bytes.received),
    histogram('subscription_statement_seconds', 'Time of a statement for a batch', ({ asked }) => asked / 1000),
    histogram(
      'subscription_delivery_seconds',
      'From noticing a write, or the end of an interval, to sending the messages',
      ({ sinceNoticed }) => sinceNoticed / 1000,
    ),
  ]
}
