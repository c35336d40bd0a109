// Keys for verifying signatures. Each is restricted to the algorithms that fit it, because a public key must never be
// used as the secret of a MAC.

import { createPublicKey, createSecretKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { ConfigurationError } from './configuration-error.ts'
import { algorithmsOfType, type KeyType } from './schema.ts'

export interface VerificationKey {
  readonly key: KeyObject
  /** Algorithm names as in tokens. */
  readonly algorithms: readonly string[]
  /** The key's `kid` in its set. */
  readonly id: string | null
}

const minimumRsaBits = 2048

const sizeError = (least: number, unit: string) =>
  new ConfigurationError(`Invalid JWK: Key size too small; should be atleast ${least} ${unit}`)

/** The configured key; throws a {@link ConfigurationError}. */
export function configuredKey(type: KeyType, text: string): VerificationKey {
  const key = type.startsWith('HS') ? secretKey(type, text) : publicKey(type, text)
  return { key, algorithms: algorithmsOfType[type], id: null }
}

function secretKey(type: KeyType, text: string): KeyObject {
  const bytes = Buffer.from(text, 'utf8')
  const least = macBytes(type)
  if (bytes.length < least) throw sizeError(least, 'characters')
  return createSecretKey(bytes)
}

/** The MAC's length in bytes, which is the minimum length of its key. */
const macBytes = (algorithm: string): number => Number(algorithm.slice(2)) / 8

function publicKey(type: KeyType, pem: string): KeyObject {
  const key = decodePem(pem)
  const bits = key.asymmetricKeyDetails?.modulusLength
  if (bits !== undefined && bits < minimumRsaBits) throw sizeError(minimumRsaBits, 'bits')
  const fits: readonly string[] = asymmetricAlgorithms(key)
  if (algorithmsOfType[type].some((algorithm) => fits.includes(algorithm))) return key
  throw new ConfigurationError(`Invalid JWK: Could not decode PEM: the key does not fit the type ${type}`)
}

function decodePem(pem: string): KeyObject {
  const refused = (reason: string) => new ConfigurationError(`Invalid JWK: Could not decode PEM: ${reason}`)
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) throw refused('a private key is not needed here')
  try {
    return createPublicKey(pem)
  } catch {
    throw refused('neither a public key nor an X.509 certificate')
  }
}

const curveAlgorithms: Readonly<Record<string, readonly string[]>> = {
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512'],
}

/** The algorithms that fit a public key. */
function asymmetricAlgorithms({
  asymmetricKeyType: type,
  asymmetricKeyDetails: details,
}: KeyObject): readonly string[] {
  if (type === 'rsa') return ['RS256', 'RS384', 'RS512']
  if (type === 'ec') return curveAlgorithms[details?.namedCurve ?? ''] ?? []
  return type === 'ed25519' ? algorithmsOfType.Ed25519 : []
}

/** The usable keys of a set. Keys of other types or for other uses are skipped. */
export function keysOfSet(set: unknown, type: KeyType | null): VerificationKey[] {
  const members = (set as { keys?: unknown } | null)?.keys
  if (!Array.isArray(members)) throw new ConfigurationError('it has no list "keys"')
  return members.flatMap((member) => keyOfSet(member, type) ?? [])
}

function keyOfSet(member: unknown, type: KeyType | null): VerificationKey | null {
  if (typeof member !== 'object' || member === null) return null
  const jwk = member as JsonWebKey
  const { use, key_ops: operations, alg, kid } = jwk
  if (use !== undefined && use !== 'sig') return null
  if (Array.isArray(operations) && !operations.includes('verify')) return null
  const key = keyOfJwk(jwk)
  if (key === null) return null
  const named = algorithmsNamed(alg)
  const pinned: readonly string[] | null = type === null ? null : algorithmsOfType[type]
  const algorithms = algorithmsOf(key).filter(
    (algorithm) => (named === null || named.includes(algorithm)) && (pinned === null || pinned.includes(algorithm)),
  )
  return algorithms.length === 0 ? null : { key, algorithms, id: typeof kid === 'string' ? kid : null }
}

/** The algorithms that a key's `alg` allows; null: it has no `alg`. */
function algorithmsNamed(alg: unknown): readonly string[] | null {
  if (alg === undefined) return null
  return (algorithmsOfType.Ed25519 as readonly unknown[]).includes(alg) ? algorithmsOfType.Ed25519 : [String(alg)]
}

function keyOfJwk(jwk: JsonWebKey): KeyObject | null {
  try {
    if (jwk.kty === 'oct') return createSecretKey(Buffer.from(jwk.k ?? '', 'base64url'))
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    return null
  }
}

function algorithmsOf(key: KeyObject): readonly string[] {
  if (key.type === 'secret') {
    return ['HS256', 'HS384', 'HS512'].filter((algorithm) => macBytes(algorithm) <= (key.symmetricKeySize ?? 0))
  }
  const bits = key.asymmetricKeyDetails?.modulusLength
  return bits !== undefined && bits < minimumRsaBits ? [] : asymmetricAlgorithms(key)
}
