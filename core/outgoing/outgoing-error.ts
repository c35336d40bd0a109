// The error of a request to another server.

/** Why there is no response. Of the request, the message contains only the host. */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError'
  /** Whether the request was sent twice. */
  isResent = false
  readonly reason: 'connection' | 'forbidden' | 'invalid-url' | 'timeout' | 'too-large' | 'unreadable'

  constructor(reason: OutgoingError['reason'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.reason = reason
  }
}
