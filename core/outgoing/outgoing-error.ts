// Why another server gave no answer.

/** Why there is no answer. The message holds nothing of the request but its host. */
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
