// Authenticates requests by JSON web token.

import { type Authenticator, type RequestHeaders, untrustedSession } from '../../sdk/http.ts'
import type { Dialect, Session } from '../../sdk/index.ts'
import { sessionOfClaims } from './claims.ts'
import type { JwtConfiguration } from './configuration.ts'
import type { VerificationKey } from './keys.ts'
import { findToken, isInCookie, missingToken } from './token.ts'
import { claimedIssuer, fitsIssuer, TokenVerifier, unverified } from './verify.ts'

/** A configuration with its keys. */
export interface TokenIssuer {
  readonly configuration: JwtConfiguration
  /** Returns the current keys. */
  readonly keys: () => readonly VerificationKey[]
}

export interface JwtOptions {
  /** At least one. */
  readonly issuers: readonly TokenIssuer[]
  readonly dialect: Dialect
  /** The role of requests without a token; null: they are refused. */
  readonly unauthorizedRole: string | null
}

/** A configuration with the verifier of its tokens. */
interface Reader {
  readonly configuration: JwtConfiguration
  readonly verifier: TokenVerifier
}

/** A token of a request, and a configuration that looks for tokens at its place. */
interface GivenToken {
  readonly token: string
  readonly reader: Reader
}

/**
 * Authenticates by token. A request with an invalid token is refused; it does not get the unauthorized role. Of several
 * configurations, the one whose issuer the token names verifies it.
 */
export function jwtAuthenticator({ issuers, dialect, unauthorizedRole }: JwtOptions): Authenticator {
  const readers = issuers.map(({ configuration, keys }) => {
    return { configuration, verifier: new TokenVerifier({ keys, configuration, strict: dialect.strictTokens }) }
  })
  const places = readers.map(({ configuration: { token } }) => token)
  return {
    mode: 'jwt',
    ...(readers.length === 1 && { configuration: readers[0]!.configuration.report }),
    usesCookie: (headers) => places.some((place) => isInCookie(headers, place)),
    authenticate(headers) {
      const given = tokensOf(headers, readers)
      const fitting = readers.length === 1 ? given : given.filter(isForReader)
      if (fitting.length > 1) throw unverified('more than one JWT configuration fits')
      const [only] = fitting
      if (only) return sessionOfToken(only, headers, dialect)
      if (unauthorizedRole !== null) return untrustedSession(headers, dialect, unauthorizedRole)
      throw given.length > 0 ? unverified('JWTNotInIssuer') : missingToken(places)
    },
  }
}

const tokensOf = (headers: RequestHeaders, readers: readonly Reader[]): readonly GivenToken[] =>
  readers.flatMap((reader) => {
    const token = findToken(headers, reader.configuration.token)
    return token === null ? [] : { token, reader }
  })

/** Whether the token may be of the reader's issuer; the verification decides. */
const isForReader = ({ token, reader }: GivenToken): boolean =>
  fitsIssuer(claimedIssuer(token), reader.configuration.issuer)

async function sessionOfToken(
  { token, reader }: GivenToken,
  headers: RequestHeaders,
  dialect: Dialect,
): Promise<Session> {
  const { configuration, verifier } = reader
  const payload = await verifier.verify(token)
  const { exp, sub } = payload
  return {
    ...sessionOfClaims(payload, configuration, headers, dialect),
    backendOnly: false,
    ...(typeof sub === 'string' && { identity: { subject: sub } }),
    ...(typeof exp === 'number' && { expiresAt: (exp + configuration.allowedSkew) * 1000 }),
  }
}
