// Turns request headers into a session. The admin secret is checked first in every mode that has one. Without it, the
// authenticator of a plugin decides, or else the request has the unauthorized role.

import { unauthorized } from '../errors/errors.ts'
import type { Dialect } from '../names/dialect.ts'
import { faultOfVariables, type Session } from '../session/session.ts'
import { type RequestHeaders, refuseForeign, trustedSession, untrustedSession } from './headers.ts'
import type { AuthSettings } from './options.ts'
import { Secrets } from './secrets.ts'

/** Authenticates requests without the admin secret, for example by JWT or a webhook. */
export interface Authenticator {
  readonly mode: 'jwt' | 'webhook' | (string & {})
  /** The part of its configuration that administrators may see. */
  readonly configuration?: Readonly<Record<string, unknown>>
  /**
   * `rawHeaders`: names as sent, each followed by its value; absent if the transport has none. `body`: the unparsed body
   * of an HTTP request.
   */
  authenticate(headers: RequestHeaders, rawHeaders?: readonly string[], body?: Buffer): Session | Promise<Session>
  /** Whether the session may come from cookies, which browsers send without being asked; absent: it may. */
  usesCookie?(headers: RequestHeaders): boolean
}

/** Authenticates requests and registers the authenticator. */
export interface AuthService {
  /** `none`: every request is trusted; `admin-secret`; or the mode of the authenticator. */
  readonly mode: string
  /** The part of the authenticator's configuration that administrators may see. */
  readonly configuration: Readonly<Record<string, unknown>> | null
  /** Sets the authenticator for requests without the admin secret. There can be only one. */
  use(authenticator: Authenticator): void
  /** Returns the session for these headers (names in lower case); throws or rejects if they are not accepted. */
  authenticate(headers: RequestHeaders, rawHeaders?: readonly string[], body?: Buffer): Session | Promise<Session>
}

export class Auth implements AuthService {
  readonly #dialect: Dialect
  readonly #secrets: Secrets | null
  readonly #readSecrets: Secrets | null
  readonly #unauthorizedRole: string | null
  #authenticator: Authenticator | null = null

  constructor(settings: AuthSettings, dialect: Dialect) {
    const secret = settings.adminSecret ?? settings.accessKey
    this.#dialect = dialect
    this.#secrets = secret === null ? null : new Secrets(secret)
    const { readSecret } = settings
    this.#readSecrets = readSecret === null ? null : new Secrets(readSecret, 'readSecret')
    this.#unauthorizedRole = settings.unauthorizedRole
  }

  get mode(): string {
    if (this.#authenticator) return this.#authenticator.mode
    return this.#secrets ? 'admin-secret' : 'none'
  }

  get configuration(): Readonly<Record<string, unknown>> | null {
    return this.#authenticator?.configuration ?? null
  }

  use(authenticator: Authenticator): void {
    if (typeof authenticator.authenticate !== 'function') {
      throw new Error(`authentication mode "${authenticator.mode}": "authenticate" has to be a function`)
    }
    if (!this.#secrets) throw new Error(`authentication mode "${authenticator.mode}" needs an admin secret`)
    if (this.#authenticator) {
      const modes = `"${this.#authenticator.mode}" and "${authenticator.mode}"`
      throw new Error(`authentication modes ${modes} cannot be used at the same time`)
    }
    this.#authenticator = authenticator
  }

  /** Whether these headers (names in lower case) contain a cookie that may give the session. */
  usesCookie(headers: RequestHeaders): boolean {
    if (headers.cookie === undefined || this.#authenticator === null) return false
    if (this.#secretOf(headers) !== undefined) return false
    return this.#authenticator.usesCookie?.(headers) ?? true
  }

  authenticate(headers: RequestHeaders, rawHeaders?: readonly string[], body?: Buffer): Session | Promise<Session> {
    refuseForeign(headers, this.#dialect)
    if (!this.#secrets) return trustedSession(headers, this.#dialect)
    const secret = this.#secretOf(headers)
    if (secret !== undefined) return this.#trust(String(secret), this.#secrets, headers)
    if (this.#authenticator) {
      return checkedSession(this.#authenticator.authenticate(headers, rawHeaders, body), this.#authenticator)
    }
    if (this.#unauthorizedRole !== null) return untrustedSession(headers, this.#dialect, this.#unauthorizedRole)
    throw unauthorized(`${this.#secretHeaders} required, but not found`)
  }

  #secretOf(headers: RequestHeaders): string | string[] | undefined {
    return headers[this.#dialect.adminSecretHeader] ?? headers[this.#dialect.accessKeyHeader]
  }

  #trust(secret: string, secrets: Secrets, headers: RequestHeaders): Session {
    // Node decodes header bytes as Latin-1.
    const bytes = Buffer.from(secret, 'latin1')
    const label = secrets.labelOf(bytes)
    if (label !== null) return { ...trustedSession(headers, this.#dialect), identity: { secret: label } }
    const read = this.#readSecrets?.labelOf(bytes) ?? null
    if (read !== null) return { ...trustedSession(headers, this.#dialect), identity: { secret: read }, readOnly: true }
    throw unauthorized(`invalid ${this.#secretHeaders}`)
  }

  get #secretHeaders(): string {
    return `${this.#dialect.adminSecretHeader}/${this.#dialect.accessKeyHeader}`
  }
}

/** The session that an authenticator returned; throws if it is malformed. */
function checkedSession(given: Session | Promise<Session>, authenticator: Authenticator): Session | Promise<Session> {
  return isPromise(given)
    ? Promise.resolve(given).then((session) => checked(session, authenticator))
    : checked(given, authenticator)
}

/** Promises of libraries are not instances of `Promise`, but have `then`. */
const isPromise = (given: Session | Promise<Session>): given is Promise<Session> =>
  typeof (given as Partial<Promise<Session>> | null | undefined)?.then === 'function'

function checked(session: Session, { mode }: Authenticator): Session {
  const fault = faultOf(session)
  if (fault !== null) throw new Error(`authentication mode "${mode}" returned an invalid session: ${fault}`)
  return session
}

function faultOf(session: Partial<Session> | null | undefined): string | null {
  if (typeof session?.role !== 'string' || session.role === '') return 'its role has to be a text that is not empty'
  return faultOfVariables(session.variables)
}
