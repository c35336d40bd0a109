// Options of deliveries: concurrency, poll intervals, retention, and logs.

import { type OptionValues, option } from '../../sdk/index.ts'
import { signingRefusal } from './attempts/signing.ts'

/** The maximum keeps PostgreSQL's intervals in range. */
const hours = { minimum: 0, maximum: 10 ** 7 }

export const deliveryOptions = {
  eventsHttpPoolSize: option.whole(
    100,
    { minimum: 1, maximum: 10_000 },
    {
      divided: true,
      flag: 'events-http-pool-size',
      variable: 'EVENTS_HTTP_POOL_SIZE',
      placeholder: 'N',
      description: 'webhook calls in flight for events, and as many for cron triggers and for one-off events',
    },
  ),
  eventsTriggerPoolSize: option.whole(
    0,
    { minimum: 0, maximum: 10_000 },
    {
      flag: 'events-trigger-pool-size',
      variable: 'EVENTS_TRIGGER_POOL_SIZE',
      placeholder: 'N',
      description:
        'webhook calls in flight for one event trigger without a concurrency of its own; 0: a share of the pool',
    },
  ),
  eventsFetchInterval: option.whole(
    1000,
    { minimum: 0, maximum: 3_600_000 },
    {
      flag: 'events-fetch-interval',
      variable: 'EVENTS_FETCH_INTERVAL',
      placeholder: 'MS',
      description:
        'milliseconds between polls of an empty event log, and five seconds or more while PostgreSQL notifies. With 0 this instance delivers no events',
    },
  ),
  eventsFetchBatchSize: option.whole(
    100,
    { minimum: 0, maximum: 10_000 },
    {
      flag: 'events-fetch-batch-size',
      variable: 'EVENTS_FETCH_BATCH_SIZE',
      placeholder: 'N',
      description: 'events claimed at once; 0: this instance records events and leaves their delivery to others',
    },
  ),
  eventsKeepDelivered: option.wholeOrNone(hours, {
    flag: 'events-keep-delivered',
    variable: 'EVENTS_KEEP_DELIVERED',
    placeholder: 'HOURS',
    description:
      'hours that delivered events of all kinds stay in the log with their attempts; without it they stay forever',
  }),
  eventsKeepFailed: option.wholeOrNone(hours, {
    flag: 'events-keep-failed',
    variable: 'EVENTS_KEEP_FAILED',
    placeholder: 'HOURS',
    description: 'the same for events that failed finally, or were too late to be sent',
  }),
  eventsKeepArchived: option.wholeOrNone(hours, {
    flag: 'events-keep-archived',
    variable: 'EVENTS_KEEP_ARCHIVED',
    placeholder: 'HOURS',
    description: 'the same for undelivered events of removed event triggers',
  }),
  webhookSigningSecrets: option.text({
    flag: 'webhook-signing-secrets',
    variable: 'WEBHOOK_SIGNING_SECRETS',
    placeholder: 'TEXT',
    secret: true,
    check: signingRefusal,
    description:
      'signing secrets of Standard Webhooks (whsec_...), newest first, separated by spaces: each delivery is signed with all',
  }),
  logHeadersFromEnv: option.flagOnly({
    flag: 'log-headers-from-env',
    variable: 'LOG_HEADERS_FROM_ENV',
    description: 'log the values of headers, secrets included, instead of the names of their environment variables',
  }),
}

/** The values of these options. */
export type DeliverySettings = OptionValues<typeof deliveryOptions>
