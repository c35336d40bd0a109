// How subscriptions are served.

import { type OptionValues, option } from '../../sdk/index.ts'

export const subscriptionOptions = {
  liveQueriesRefetchInterval: option.whole(
    1000,
    { minimum: 1, maximum: 3_600_000 },
    {
      flag: 'live-queries-multiplexed-refetch-interval',
      variable: 'LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL',
      placeholder: 'MILLISECONDS',
      description: 'how often subscriptions look whether anything changed',
    },
  ),
  liveQueriesBatchSize: option.whole(
    100,
    { minimum: 1, maximum: 10_000 },
    {
      flag: 'live-queries-multiplexed-batch-size',
      variable: 'LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE',
      placeholder: 'N',
      description: 'how many different sets of values of subscribers one statement answers',
    },
  ),
  liveQueries: option.choice(['poll', 'changes'], 'poll', {
    flag: 'live-queries',
    variable: 'LIVE_QUERIES',
    placeholder: 'poll/changes',
    description:
      'how subscriptions learn of writes: by looking once per interval, or also from the log of the database or triggers, at once',
  }),
  streamingQueriesRefetchInterval: option.whole(
    1000,
    { minimum: 1, maximum: 3_600_000 },
    {
      flag: 'streaming-queries-multiplexed-refetch-interval',
      variable: 'STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL',
      placeholder: 'MILLISECONDS',
      description: 'how often streams look whether there are more rows',
    },
  ),
  streamingQueriesBatchSize: option.whole(
    100,
    { minimum: 1, maximum: 10_000 },
    {
      flag: 'streaming-queries-multiplexed-batch-size',
      variable: 'STREAMING_QUERIES_MULTIPLEXED_BATCH_SIZE',
      placeholder: 'N',
      description: 'how many different sets of values of subscribers one statement of a stream answers',
    },
  ),
  wsReadCookie: option.flagOnly({
    flag: 'ws-read-cookie',
    variable: 'WS_READ_COOKIE',
    description: 'read cookies of websockets though CORS is disabled, with --disable-cors only',
  }),
  websocketKeepalive: option.whole(
    5,
    { minimum: 1, maximum: 3600 },
    {
      flag: 'websocket-keepalive',
      variable: 'WEBSOCKET_KEEPALIVE',
      placeholder: 'SECONDS',
      description: 'how often websockets and streams of events get a sign of life',
    },
  ),
  websocketConnectionInitTimeout: option.whole(
    3,
    { minimum: 1, maximum: 3600 },
    {
      flag: 'websocket-connection-init-timeout',
      variable: 'WEBSOCKET_CONNECTION_INIT_TIMEOUT',
      placeholder: 'SECONDS',
      description: 'how long a websocket of graphql-transport-ws may be silent about who it is',
    },
  ),
  websocketCompression: option.flagOnly({
    flag: 'websocket-compression',
    variable: 'CONNECTION_COMPRESSION',
    description: 'compress the messages of websockets for clients that can read them',
  }),
  websocketMaxMessageSize: option.whole(
    1_048_576,
    { minimum: 1024, maximum: 1_073_741_824 },
    {
      flag: 'websocket-max-message-size',
      variable: 'WEBSOCKET_MAX_MESSAGE_SIZE',
      placeholder: 'BYTES',
      description: 'how large a message of a client may be',
    },
  ),
  websocketMaxOperations: option.whole(
    1000,
    { minimum: 1, maximum: 1_000_000 },
    {
      flag: 'websocket-max-operations',
      variable: 'WEBSOCKET_MAX_OPERATIONS',
      placeholder: 'N',
      description: 'how many operations may run on one websocket or stream of events at once',
    },
  ),
  maxWebsockets: option.whole(
    10_000,
    { minimum: 0 },
    {
      flag: 'max-websockets',
      variable: 'MAX_WEBSOCKETS',
      placeholder: 'N',
      description: 'how many websockets and streams of events there may be; 0: any number',
    },
  ),
  maxWebsocketsPerAddress: option.whole(
    0,
    { minimum: 0 },
    {
      flag: 'max-websockets-per-address',
      variable: 'MAX_WEBSOCKETS_PER_ADDRESS',
      placeholder: 'N',
      description: 'how many of them one address may have; 0: any number',
    },
  ),
}

export type SubscriptionOptions = OptionValues<typeof subscriptionOptions>

/** How live queries are asked. */
export interface LiveOptions {
  /** Milliseconds between two looks at whether anything changed. */
  readonly refetchInterval: number
  /** How many cohorts one statement answers. */
  readonly batchSize: number
}

/** The same of what there is. */
export interface Paces {
  readonly live: LiveOptions
  readonly streams: LiveOptions
}

/** How clients stay connected. Times are in milliseconds. */
export interface SocketOptions {
  /** Between two signs of life. */
  readonly keepAlive: number
  /** Until a client must have said who it is, where the protocol asks for that. */
  readonly initTimeout: number
  /** Of one message, in bytes. */
  readonly maxMessageSize: number
  readonly operationsPerSocket: number
  /** Sockets and streams of one address, and in all; 0: any number. */
  readonly socketsPerAddress: number
  readonly maxSockets: number
  readonly compression: boolean
  /** Whether cookies count though CORS is disabled. */
  readonly readCookie: boolean
}

export const pacesOf = (options: SubscriptionOptions): Paces => ({
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

/** How live queries are served, as reports of the configuration tell it. The delay is in seconds. */
export const reported = ({ refetchInterval, batchSize }: LiveOptions) => ({
  batch_size: batchSize,
  refetch_delay: refetchInterval / 1000,
})
