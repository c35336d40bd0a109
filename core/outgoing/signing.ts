// Signs requests by the Standard Webhooks specification (standardwebhooks.com), which has libraries in most
// languages. A receiver can verify that this server sent the request, and when.

import { createHmac } from 'node:crypto'

/** The content of a signature. */
export interface SignedMessage {
  /** The same at each attempt, so that the receiver recognizes a repetition. */
  readonly id: string
  /** The time of this attempt. */
  readonly at: Date
  readonly body: string | Buffer
}

const prefix = 'whsec_'

/** Decodes a secret: base64 of 24 to 64 bytes, optionally after `whsec_`; null if it is malformed. */
export function signingKey(secret: string): Buffer | null {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null
  const key = Buffer.from(text, 'base64')
  return key.length >= 24 && key.length <= 64 ? key : null
}

/** The headers of a signed request. Each key, the newest first, gives one signature, so that secrets can be rotated. */
export function signatureHeaders({ id, at, body }: SignedMessage, keys: readonly Buffer[]): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1000)
  const signatures = keys.map((key) => {
    const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
    return `v1,${digest}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') }
}
