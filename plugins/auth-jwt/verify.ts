// Verifies a token: its signature, then the claims about time, audience and issuer, in the order of v1.3.

import { compactVerify, decodeJwt, decodeProtectedHeader, errors } from 'jose'
import { LRUCache } from 'lru-cache'
import { badRequest, type TrellisError } from '../../sdk/index.ts'
import type { JwtConfiguration } from './configuration.ts'
import type { VerificationKey } from './keys.ts'
import { longestToken, rememberedCharacters } from './tuning.ts'

/** The claims of a verified token. */
export type Payload = Readonly<Record<string, unknown>>

export interface Verification {
  /** Returns the current keys; a new array when they have changed. */
  readonly keys: () => readonly VerificationKey[]
  readonly configuration: Pick<JwtConfiguration, 'audience' | 'issuer' | 'allowedSkew'>
  /** Whether a configured audience is required in the token, and a token's `kid` must match a key. */
  readonly strict: boolean
}

/** The refusal of a token. */
export const unverified = (reason: string): TrellisError => badRequest('invalid-jwt', `Could not verify JWT: ${reason}`)

/** The refusal of a claim; clients know the reason, so the hint names the claim. */
const refusedClaim = (reason: string, hint: string): TrellisError => unverified(reason).with({ help: () => ({ hint }) })

/** A payload and the keys that it was verified with. */
interface Signed {
  readonly payload: Payload
  readonly keys: readonly VerificationKey[]
}

/**
 * Verifies tokens. Verified signatures are cached while the keys stay the same, because clients send the same token
 * many times and a verification costs more than most requests. The claims are checked every time.
 */
export class TokenVerifier {
  readonly #verification: Verification
  readonly #signed = new LRUCache<string, Signed>({
    maxSize: rememberedCharacters,
    sizeCalculation: (_signed, token) => token.length,
  })

  constructor(verification: Verification) {
    this.#verification = verification
  }

  /** Returns the payload of a valid token; refuses any other. */
  async verify(token: string): Promise<Payload> {
    const payload = await this.#signedPayload(token)
    checkTimes(payload, this.#verification.configuration.allowedSkew)
    checkIssuer(payload, this.#verification)
    checkAudience(payload, this.#verification)
    return payload
  }

  async #signedPayload(token: string): Promise<Payload> {
    const keys = this.#verification.keys()
    const known = this.#signed.get(token)
    if (known?.keys === keys) return known.payload
    const payload = parsePayload(await verifySignature(token, keys, this.#verification.strict))
    this.#signed.set(token, { payload, keys })
    return payload
  }
}

async function verifySignature(token: string, keys: readonly VerificationKey[], strict: boolean): Promise<Uint8Array> {
  const { alg, kid } = readHeader(token)
  const candidates = keys.filter(({ id }) => !strict || kid === undefined || id === null || id === kid)
  if (candidates.length === 0) throw unverified('JWSError NoUsableKeys')
  for (const { key, algorithms } of candidates) {
    // A key is tried only with algorithms that fit it.
    const payload = algorithms.includes(alg) ? await payloadIfSigned(token, key, alg) : null
    if (payload !== null) return payload
  }
  throw unverified('JWSError JWSInvalidSignature')
}

function readHeader(token: string): { readonly alg: string; readonly kid: unknown } {
  if (token.length > longestToken) throw unverified(`JWSError (the token is longer than ${longestToken} characters)`)
  const parts = token.split('.').length
  if (parts !== 3) {
    const reason = `Invalid number of parts: Expected 3 parts; got ${parts}`
    throw unverified(`JWSError (CompactDecodeError ${reason})`)
  }
  try {
    const { alg, kid, b64 } = decodeProtectedHeader(token) as Record<string, unknown>
    if (typeof alg === 'string' && b64 !== false) return { alg, kid }
  } catch {
    // Refused below, as an unreadable header.
  }
  throw unverified('JWSError (JSONDecodeError "the header of the token cannot be read")')
}

/** Null if this key did not sign the token. */
async function payloadIfSigned(token: string, key: VerificationKey['key'], alg: string): Promise<Uint8Array | null> {
  try {
    return (await compactVerify(token, key, { algorithms: [alg] })).payload
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return null
    if (error instanceof errors.JOSEError) throw unverified(`JWSError (${error.message})`)
    throw error
  }
}

const undecodable = (reason: string): TrellisError => unverified(`JWTClaimsSetDecodeError "${reason}"`)

function parsePayload(bytes: Uint8Array): Payload {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Payload
  } catch {
    // Refused below, as JSON that is not an object.
  }
  throw undecodable('the payload is not a JSON object')
}

function numberClaim(payload: Payload, name: string): number | undefined {
  const value = payload[name]
  if (value === undefined || typeof value === 'number') return value
  throw undecodable(`${name} is not a number`)
}

function checkTimes(payload: Payload, skew: number): void {
  const now = Date.now() / 1000
  const expires = numberClaim(payload, 'exp')
  const issued = numberClaim(payload, 'iat')
  const begins = numberClaim(payload, 'nbf')
  if (expires !== undefined && now >= expires + skew)
    throw refusedClaim('JWTExpired', 'the time of the claim "exp" has passed')
  if (issued !== undefined && now < issued - skew)
    throw refusedClaim('JWTIssuedAtFuture', 'the time of the claim "iat" has not come')
  if (begins !== undefined && now < begins - skew)
    throw refusedClaim('JWTNotYetValid', 'the time of the claim "nbf" has not come')
}

/** The issuer that a token names, before anything of it is verified; undefined: none, or it cannot be read. */
export function claimedIssuer(token: string): unknown {
  if (token.length > longestToken) return undefined
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}

/** Whether a token's issuer is the configured one; null or undefined: any. */
export const fitsIssuer = (iss: unknown, issuer: string | null): boolean =>
  issuer === null || iss === undefined || iss === issuer

/** A token without an issuer is accepted, as v1.3 documents. */
function checkIssuer({ iss }: Payload, { configuration: { issuer } }: Verification): void {
  if (iss !== undefined && typeof iss !== 'string') throw undecodable('iss is not a text')
  if (fitsIssuer(iss, issuer)) return
  throw refusedClaim('JWTNotInIssuer', 'the claim "iss" is not the configured issuer')
}

function checkAudience({ aud }: Payload, { configuration: { audience }, strict }: Verification): void {
  const named = typeof aud === 'string' ? [aud] : aud
  const isList = Array.isArray(named) && named.every((each) => typeof each === 'string')
  if (named !== undefined && !isList) throw undecodable('aud is neither a text nor a list of texts')
  if (audience === null || (named === undefined && !strict)) return
  if (isList && named.some((each) => audience.includes(each))) return
  throw refusedClaim('JWTNotInAudience', 'the claim "aud" does not hold a configured audience')
}
