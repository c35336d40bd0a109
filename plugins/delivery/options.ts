// How much is delivered at once, how often the tables are looked at, and what is logged.

import { type OptionValues, option } from '../../sdk/index.ts'
import { signingRefusal } from './signing.ts'

/** PostgreSQL's intervals have an end. */
const hours = { minimum: 0, maximum: 10 ** 7 }

export const deliveryOptions = {
  eventsHttpPoolSize: option.whole(
    100,
    { minimum: 1, maximum: 10_000 },
    {
      flag: 'events-http-pool-size',
      variable: 'EVENTS_HTTP_POOL_SIZE',
      placeholder: 'N',
      description: 'webhooks called at once for events, and as many for cron triggers and for one-off events',
    },
  ),
  eventsTriggerPoolSize: option.whole(
    0,
    { minimum: 0, maximum: 10_000 },
    {
      flag: 'events-trigger-pool-size',
      variable: 'EVENTS_TRIGGER_POOL_SIZE',
      placeholder: 'N',
      description: 'webhooks called at once for one event trigger that has no concurrency of its own; 0: any number',
    },
  ),
  eventsFetchInterval: option.whole(
    1000,
    { minimum: 10, maximum: 3_600_000 },
    {
      flag: 'events-fetch-interval',
      variable: 'EVENTS_FETCH_INTERVAL',
      placeholder: 'MS',
      description:
        'milliseconds until an empty event log is looked at again; five seconds at least while PostgreSQL is heard, which says so before',
    },
  ),
  eventsFetchBatchSize: option.whole(
    100,
    { minimum: 0, maximum: 10_000 },
    {
      flag: 'events-fetch-batch-size',
      variable: 'EVENTS_FETCH_BATCH_SIZE',
      placeholder: 'N',
      description: 'events claimed at once; 0: this instance records events, and leaves their delivery to others',
    },
  ),
  eventsKeepDelivered: option.wholeOrNone(hours, {
    flag: 'events-keep-delivered',
    variable: 'EVENTS_KEEP_DELIVERED',
    placeholder: 'HOURS',
    description: 'delivered events of all kinds leave the log after so long, with their attempts; without it they stay',
  }),
  eventsKeepFailed: option.wholeOrNone(hours, {
    flag: 'events-keep-failed',
    variable: 'EVENTS_KEEP_FAILED',
    placeholder: 'HOURS',
    description: 'the same for events that failed for good, or were too late to be sent',
  }),
  eventsKeepArchived: option.wholeOrNone(hours, {
    flag: 'events-keep-archived',
    variable: 'EVENTS_KEEP_ARCHIVED',
    placeholder: 'HOURS',
    description: 'the same for events that were never delivered since their event trigger is gone',
  }),
  webhookSigningSecrets: option.text({
    flag: 'webhook-signing-secrets',
    variable: 'WEBHOOK_SIGNING_SECRETS',
    placeholder: 'TEXT',
    secret: true,
    check: signingRefusal,
    description:
      'secrets of the standard webhooks (whsec_...), the newest first, separated by spaces: deliveries are signed with each',
  }),
  logHeadersFromEnv: option.flagOnly({
    flag: 'log-headers-from-env',
    variable: 'LOG_HEADERS_FROM_ENV',
    description:
      'have logs of deliveries hold the values of headers, secrets included, in place of the names of variables',
  }),
}

/** The values of these options. */
export type DeliverySettings = OptionValues<typeof deliveryOptions>
