// Options of subscriptions.

import { type OptionValues, option } from '../../sdk/index.ts'

export const subscriptionOptions = {
  liveQueriesRefetchInterval: option.whole(
    1000,
    { minimum: 1, maximum: 3_600_000 },
    {
      flag: 'live-queries-multiplexed-refetch-interval',
      variable: 'LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL',
      placeholder: 'MILLISECONDS',
      description: 'time between two polls for changes by subscriptions',
    },
  ),
  liveQueriesBatchSize: option.whole(
    100,
    { minimum: 1, maximum: 10_000 },
    {
      flag: 'live-queries-multiplexed-batch-size',
      variable: 'LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE',
      placeholder: 'N',
      description: 'distinct sets of subscriber values that one statement answers',
    },
  ),
  liveQueries: option.choice(['poll', 'changes'], 'poll', {
    flag: 'live-queries',
    variable: 'LIVE_QUERIES',
    placeholder: 'poll/changes',
    description:
      'how subscriptions learn of writes: by polling once per interval, or also at once, by logical decoding',
  }),
  streamingQueriesRefetchInterval: option.whole(
    1000,
    { minimum: 1, maximum: 3_600_000 },
    {
      flag: 'streaming-queries-multiplexed-refetch-interval',
      variable: 'STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL',
      placeholder: 'MILLISECONDS',
      description: 'time between two polls for new rows by streams',
    },
  ),
  streamingQueriesBatchSize: option.whole(
    100,
    { minimum: 1, maximum: 10_000 },
    {
      flag: 'streaming-queries-multiplexed-batch-size',
      variable: 'STREAMING_QUERIES_MULTIPLEXED_BATCH_SIZE',
      placeholder: 'N',
      description: 'distinct sets of subscriber values that one statement of a stream answers',
    },
  ),
  wsReadCookie: option.flagOnly({
    flag: 'ws-read-cookie',
    variable: 'WS_READ_COOKIE',
    description: 'read the cookies of websockets although CORS is disabled; only with --disable-cors',
  }),
  websocketKeepalive: option.whole(
    5,
    { minimum: 1, maximum: 3600 },
    {
      flag: 'websocket-keepalive',
      variable: 'WEBSOCKET_KEEPALIVE',
      placeholder: 'SECONDS',
      description: 'time between two keep-alive messages on websockets and event streams',
    },
  ),
  websocketConnectionInitTimeout: option.whole(
    3,
    { minimum: 1, maximum: 3600 },
    {
      flag: 'websocket-connection-init-timeout',
      variable: 'WEBSOCKET_CONNECTION_INIT_TIMEOUT',
      placeholder: 'SECONDS',
      description: 'time that a graphql-transport-ws client has to send connection_init',
    },
  ),
  websocketCompression: option.flagOnly({
    flag: 'websocket-compression',
    variable: 'CONNECTION_COMPRESSION',
    description: 'compress websocket messages for clients that support it',
  }),
  websocketMaxMessageSize: option.whole(
    1_048_576,
    { minimum: 1024, maximum: 1_073_741_824 },
    {
      flag: 'websocket-max-message-size',
      variable: 'WEBSOCKET_MAX_MESSAGE_SIZE',
      placeholder: 'BYTES',
      description: 'largest message of a client',
    },
  ),
  websocketMaxOperations: option.whole(
    1000,
    { minimum: 1, maximum: 1_000_000 },
    {
      flag: 'websocket-max-operations',
      variable: 'WEBSOCKET_MAX_OPERATIONS',
      placeholder: 'N',
      description: 'operations that may run at once on one websocket or event stream',
    },
  ),
  maxWebsockets: option.whole(
    10_000,
    { minimum: 0 },
    {
      flag: 'max-websockets',
      variable: 'MAX_WEBSOCKETS',
      placeholder: 'N',
      description: 'open websockets and event streams; 0: no limit',
    },
  ),
  maxWebsocketsPerAddress: option.whole(
    0,
    { minimum: 0 },
    {
      flag: 'max-websockets-per-address',
      variable: 'MAX_WEBSOCKETS_PER_ADDRESS',
      placeholder: 'N',
      description: 'open websockets and event streams of one address; 0: no limit',
    },
  ),
}

export type SubscriptionOptions = OptionValues<typeof subscriptionOptions>

/** Settings of live queries. */
export interface LiveOptions {
  /** Milliseconds between two polls. */
  readonly refetchInterval: number
  /** Cohorts per statement. */
  readonly batchSize: number
}

/** Settings of live queries and of streams. */
export interface LiveSettings {
  readonly live: LiveOptions
  readonly streams: LiveOptions
}

/** Settings of connections. Times are in milliseconds. */
export interface SocketOptions {
  /** Between two keep-alive messages. */
  readonly keepAlive: number
  /** Until `connection_init` must have arrived, where the protocol demands it. */
  readonly initTimeout: number
  /** Bytes. */
  readonly maxMessageSize: number
  readonly operationsPerSocket: number
  /** Connections per address and in all; 0: no limit. */
  readonly socketsPerAddress: number
  readonly maxSockets: number
  readonly compression: boolean
  /** Whether cookies count although CORS is disabled. */
  readonly readCookie: boolean
}

export const liveSettingsOf = (options: SubscriptionOptions): LiveSettings => ({
  live: { refetchInterval: options.liveQueriesRefetchInterval, batchSize: options.liveQueriesBatchSize },
  streams: { refetchInterval: options.streamingQueriesRefetchInterval, batchSize: options.streamingQueriesBatchSize },
})

export const socketOptionsOf = (options: SubscriptionOptions): SocketOptions => ({
  keepAlive: options.websocketKeepalive * 1000,
  initTimeout: options.websocketConnectionInitTimeout * 1000,
  maxMessageSize: options.websocketMaxMessageSize,
  operationsPerSocket: options.websocketMaxOperations,
  socketsPerAddress: options.maxWebsocketsPerAddress,
  maxSockets: options.maxWebsockets,
  compression: options.websocketCompression,
  readCookie: options.wsReadCookie,
})

/** The form in configuration reports; the delay is in seconds. */
export const reported = ({ refetchInterval, batchSize }: LiveOptions) => ({
  batch_size: batchSize,
  refetch_delay: refetchInterval / 1000,
})
