// The measures of subscriptions.

import { Counter, Gauge, Histogram } from 'prom-client'
import type { MetricsRegistry } from '../metrics/index.ts'
import type { SubscriptionActivity } from '../subscriptions/index.ts'

/** Upper bounds in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function addMeasures({ registry, prefix }: MetricsRegistry, activity: SubscriptionActivity): void {
  const described = (name: string, help: string) => ({ name: prefix + name, help, registers: [registry] })
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      ...described(name, help),
      collect() {
        this.set(read())
      },
    })
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      ...described(name, help),
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  gauge('websockets', 'Open websockets', () => activity.sockets)
  gauge('event_streams', 'Open streams of server-sent events', () => activity.eventStreams)
  gauge('subscribers', 'Subscriptions that run', () => activity.subscribers)
  gauge('subscription_groups', 'Statements that answer them', () => activity.groups)
  gauge('subscription_cohorts', 'Sets of values that these are asked with', () => activity.cohorts)
  counter('subscription_looks_total', 'Looks whether anything was written', () => activity.looks)
  counter('websocket_sent_bytes_total', 'Bytes of messages sent', () => activity.bytes.sent)
  counter('websocket_received_bytes_total', 'Bytes of messages received', () => activity.bytes.received)
  const asked = new Histogram({
    ...described('subscription_statement_seconds', 'From asking a statement for a batch to its answer'),
    buckets,
  })
  const delivered = new Histogram({
    ...described(
      'subscription_delivery_seconds',
      'From noticing a write, or its interval, to handing out the messages',
    ),
    buckets,
  })
  activity.onBatch((batch) => {
    asked.observe(batch.asked / 1000)
    delivered.observe(batch.sinceNoticed / 1000)
  })
}
