// Signatures by which a receiver knows that a request is this server's, and when it was made: those of the standard webhooks
// (standardwebhooks.com), for which there are libraries in most languages.

import { createHmac } from 'node:crypto'

/** What is signed. */
export interface SignedMessage {
  /** The same at each attempt, so that the receiver knows what it had. */
  readonly id: string
  /** When this attempt is made. */
  readonly at: Date
  readonly body: string | Buffer
}

const prefix = 'whsec_'

/** The bytes of a secret: base64 behind `whsec_`, which may be left out, of 24 to 64 bytes; null when it is none. */
export function signingKey(secret: string): Buffer | null {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null
  const key = Buffer.from(text, 'base64')
  return key.length >= 24 && key.length <= 64 ? key : null
}

/** The headers of a signed request; several keys, the newest first, give a signature each, so that secrets can be changed. */
export function signatureHeaders({ id, at, body }: SignedMessage, keys: readonly Buffer[]): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1000)
  const signatures = keys.map((key) => {
    const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
    return `v1,${digest}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') }
}
