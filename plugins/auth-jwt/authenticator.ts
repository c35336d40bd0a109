// Authenticates requests by JSON web token.

import { type Authenticator, type RequestHeaders, untrustedSession } from '../../sdk/http.ts'
import type { Dialect, Session } from '../../sdk/index.ts'
import { sessionOfClaims } from './claims.ts'
import type { JwtConfiguration } from './configuration.ts'
import type { VerificationKey } from './keys.ts'
import { findToken, isInCookie, missingToken } from './token.ts'
import { TokenVerifier } from './verify.ts'

export interface JwtOptions {
  readonly configuration: JwtConfiguration
  /** Returns the current keys. */
  readonly keys: () => readonly VerificationKey[]
  readonly dialect: Dialect
  /** The role of requests without a token; null: they are refused. */
  readonly unauthorizedRole: string | null
}

/** Authenticates by token. A request with an invalid token is refused; it does not get the unauthorized role. */
export function jwtAuthenticator(options: JwtOptions): Authenticator {
  const { configuration, keys, dialect, unauthorizedRole } = options
  const verifier = new TokenVerifier({ keys, configuration, strict: dialect.strictTokens })
  return {
    mode: 'jwt',
    configuration: configuration.report,
    usesCookie: (headers) => isInCookie(headers, configuration.token),
    authenticate(headers) {
      const token = findToken(headers, configuration.token)
      if (token !== null) return sessionOfToken(token, headers, verifier, options)
      if (unauthorizedRole === null) throw missingToken(configuration.token)
      return untrustedSession(headers, dialect, unauthorizedRole)
    },
  }
}

async function sessionOfToken(
  token: string,
  headers: RequestHeaders,
  verifier: TokenVerifier,
  { configuration, dialect }: JwtOptions,
): Promise<Session> {
  const payload = await verifier.verify(token)
  const { exp, sub } = payload
  return {
    ...sessionOfClaims(payload, configuration, headers, dialect),
    backendOnly: false,
    ...(typeof sub === 'string' && { identity: { subject: sub } }),
    ...(typeof exp === 'number' && { expiresAt: (exp + configuration.allowedSkew) * 1000 }),
  }
}
