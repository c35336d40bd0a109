// How much is delivered at once, how often the tables are looked at, and what is logged.

import { type OptionValues, option } from '../../sdk/index.ts'

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
  logHeadersFromEnv: option.flagOnly({
    flag: 'log-headers-from-env',
    variable: 'LOG_HEADERS_FROM_ENV',
    description:
      'have logs of deliveries hold the values of headers, secrets included, in place of the names of variables',
  }),
}

/** The values of these options. */
export type DeliverySettings = OptionValues<typeof deliveryOptions>
