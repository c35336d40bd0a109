// Request headers -> session. The admin secret comes first in every mode that has one; what requests without it are, an
// authenticator of a plugin decides, else the unauthorized role.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { Dialect } from '../dialect.ts'
import { unauthorized } from '../errors.ts'
import type { Settings } from '../options.ts'
import type { Session } from '../session.ts'
import { type RequestHeaders, trustedSession, untrustedSession } from './headers.ts'

/** A way to authenticate requests that carry no admin secret, such as JWT or a webhook. */
export interface Authenticator {
  readonly mode: 'jwt' | 'webhook' | (string & {})
  /** What administrators may see of its configuration. */
  readonly configuration?: Readonly<Record<string, unknown>>
  authenticate(headers: RequestHeaders): Session | Promise<Session>
}

const digest = (bytes: string | Buffer): Buffer => createHash('sha512').update(bytes).digest()

export class Auth {
  readonly #dialect: Dialect
  readonly #secretDigest: Buffer | null
  readonly #unauthorizedRole: string | null
  #authenticator: Authenticator | null = null

  constructor(settings: Pick<Settings, 'adminSecret' | 'accessKey' | 'unauthorizedRole'>, dialect: Dialect) {
    const secret = settings.adminSecret ?? settings.accessKey
    this.#dialect = dialect
    this.#secretDigest = secret === null ? null : digest(secret)
    this.#unauthorizedRole = settings.unauthorizedRole
  }

  /** `none`: every request is trusted; `admin-secret`; or the mode of the authenticator. */
  get mode(): string {
    if (this.#authenticator) return this.#authenticator.mode
    return this.#secretDigest ? 'admin-secret' : 'none'
  }

  /** What administrators may see of the authenticator's configuration. */
  get configuration(): Readonly<Record<string, unknown>> | null {
    return this.#authenticator?.configuration ?? null
  }

  /** Has requests without the admin secret authenticated this way. There can be one such way. */
  use(authenticator: Authenticator): void {
    if (!this.#secretDigest) throw new Error(`authentication mode "${authenticator.mode}" needs an admin secret`)
    if (this.#authenticator) {
      const modes = `"${this.#authenticator.mode}" and "${authenticator.mode}"`
      throw new Error(`authentication modes ${modes} cannot be used at the same time`)
    }
    this.#authenticator = authenticator
  }

  /** Who sends these headers; throws or rejects when they may not. */
  authenticate(headers: RequestHeaders): Session | Promise<Session> {
    if (!this.#secretDigest) return trustedSession(headers, this.#dialect)
    const secret = headers[this.#dialect.adminSecretHeader] ?? headers[this.#dialect.accessKeyHeader]
    if (secret !== undefined) return this.#trust(String(secret), this.#secretDigest, headers)
    if (this.#authenticator) return this.#authenticator.authenticate(headers)
    if (this.#unauthorizedRole !== null) return untrustedSession(headers, this.#dialect, this.#unauthorizedRole)
    throw unauthorized(`${this.#secretHeaders} required, but not found`)
  }

  #trust(secret: string, expected: Buffer, headers: RequestHeaders): Session {
    // Digests have one length, so the comparison tells nothing about the secret's.
    if (timingSafeEqual(digest(Buffer.from(secret, 'latin1')), expected)) return trustedSession(headers, this.#dialect)
    throw unauthorized(`invalid ${this.#secretHeaders}`)
  }

  get #secretHeaders(): string {
    return `${this.#dialect.adminSecretHeader}/${this.#dialect.accessKeyHeader}`
  }
}
