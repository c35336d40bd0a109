// How subscriptions are served.

/** How live queries are asked. */
export interface LiveOptions {
  /** Milliseconds between two looks at whether anything changed. */
  readonly refetchInterval: number
  /** How many cohorts one statement answers. */
  readonly batchSize: number
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
  /** Until a client that takes nothing of what it is sent is cut off. */
  readonly stallTimeout: number
}
