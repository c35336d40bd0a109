// `trellis token`: signs a token for development with the key of `--jwt-secret`, so that the server takes it for a role.

import { createHmac } from 'node:crypto'
import {
  type AllSettings,
  type CommandCall,
  type Dialect,
  OptionRefusal,
  StartError,
  TrellisError,
} from '../../sdk/index.ts'
import { sessionOfClaims } from './claims.ts'
import type { ClaimsMap } from './claims-map.ts'
import { type ClaimsPlace, type JwtConfiguration, type KeySource, readConfigurations } from './configuration.ts'
import { ConfigurationError } from './configuration-error.ts'
import { configuredKey } from './keys.ts'
import { longestTokenLifeSeconds, tokenLifeSeconds } from './tuning.ts'

/** Session variables by lower-case name; the allowed roles are a list. */
type Claims = ReadonlyMap<string, string | readonly string[]>

/** The signed token as one line. */
export function signedToken({ flags, settings, dialect }: CommandCall): string {
  const { configuration, sign } = signerOf(settings, dialect)
  const [role, ...others] = flags['role'] ?? []
  if (role === undefined) throw new StartError('trellis token needs --role ROLE')
  const claims = claimsOf([role, ...others], flags['claim'] ?? [], dialect)
  const payload = { ...standardClaims(configuration, flags['expires']), ...placed(claims, configuration, dialect) }
  checkRead(payload, role, configuration, dialect)
  return `${sign(payload)}\n`
}

/** The configuration, and the signer with its key; a key that can only verify is refused. */
function signerOf({ jwtSecret }: AllSettings, dialect: Dialect) {
  const names = `--jwt-secret (${dialect.environmentPrefix}JWT_SECRET)`
  if (typeof jwtSecret !== 'string')
    throw new StartError(`trellis token signs with the key of ${names}, which is not set`)
  const refused = (reason: string) => new OptionRefusal('jwtSecret', names, reason)
  try {
    const configurations = readConfigurations(jwtSecret, dialect)
    const configuration = configurations.find(({ keys }) => isOfMac(keys)) ?? configurations[0]!
    const { keys } = configuration
    const advice = 'let the issuer sign, or use a key of type HS256 in development'
    if (keys.kind === 'url') throw refused(`the keys of a jwk_url verify tokens and cannot sign them: ${advice}`)
    const { type } = keys
    if (!isOfMac(keys)) {
      throw refused(`the key of type ${type} is public, which verifies tokens and cannot sign them: ${advice}`)
    }
    const { key } = configuredKey(type, keys.key)
    const sign = (payload: object) => {
      const text = [{ alg: type, typ: 'JWT' }, payload].map(encoded).join('.')
      return `${text}.${createHmac(`sha${type.slice(2)}`, key)
        .update(text)
        .digest('base64url')}`
    }
    return { configuration, sign }
  } catch (error) {
    throw error instanceof ConfigurationError ? refused(error.message) : error
  }
}

/** Whether the key that verifies tokens can sign them. */
const isOfMac = (keys: KeySource): boolean => keys.kind === 'key' && keys.type.startsWith('HS')

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const unitSeconds = { s: 1, m: 60, h: 3600, d: 86400 } as const

/** Times, audience and issuer. */
function standardClaims({ audience, issuer }: JwtConfiguration, expires: readonly string[] = []): object {
  const issued = Math.floor(Date.now() / 1000)
  const life = lifeSeconds(expires.at(-1))
  return {
    iat: issued,
    ...(life !== null && { exp: issued + life }),
    ...(audience?.[0] !== undefined && { aud: audience[0] }),
    ...(issuer !== null && { iss: issuer }),
  }
}

/** The seconds until a token expires; null: never. */
function lifeSeconds(text: string | undefined): number | null {
  if (text === undefined) return tokenLifeSeconds
  if (text === 'never') return null
  const [, digits, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const seconds = Number(digits) * unitSeconds[unit as keyof typeof unitSeconds]
  if (seconds > 0 && seconds <= longestTokenLifeSeconds) return seconds
  throw new StartError(`--expires ${JSON.stringify(text)}: only expecting a time such as 30m, 12h or 7d, or never`)
}

function claimsOf(roles: readonly string[], texts: readonly string[], dialect: Dialect): Claims {
  if (roles.includes('')) throw new StartError('--role: only expecting the name of a role')
  const { allowedRolesClaim, defaultRoleClaim, roleVariable, adminSecretHeader, accessKeyHeader } = dialect
  const reserved = [allowedRolesClaim, defaultRoleClaim, roleVariable, adminSecretHeader, accessKeyHeader]
  const claims = new Map<string, string | readonly string[]>([
    [allowedRolesClaim, roles],
    [defaultRoleClaim, roles[0]!],
  ])
  for (const text of texts) {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    if (key === undefined || value === undefined) {
      throw new StartError(`--claim ${JSON.stringify(text)}: only expecting KEY=VALUE, such as user-id=7`)
    }
    const lower = key.toLowerCase()
    const name = lower.startsWith(dialect.sessionPrefix) ? lower : dialect.sessionPrefix + lower
    if (reserved.includes(name))
      throw new StartError(`--claim ${key}: roles are given by --role, and secrets are no claims`)
    claims.set(name, value)
  }
  return claims
}

/** The claims where the configuration looks for them. */
function placed(claims: Claims, { claims: place, format }: JwtConfiguration, dialect: Dialect): object {
  if (place.kind === 'map') return mapped(claims, place.map, dialect)
  const object = Object.fromEntries(claims)
  const value = format === 'json' ? object : JSON.stringify(object)
  const payload: Record<string, unknown> = {}
  const path = pathOf(place)
  if (path.length > 0) return put(payload, path, value)
  if (typeof value === 'object') return value
  throw new StartError('--jwt-secret: the whole payload cannot be the text of an object, so there is no token to sign')
}

const pathOf = (place: Exclude<ClaimsPlace, { kind: 'map' }>): readonly string[] =>
  place.kind === 'path' ? place.path : [place.name]

function mapped(claims: Claims, map: ClaimsMap, { sessionPrefix }: Dialect): object {
  const unknown = [...claims.keys()].find((name) => !map.has(name))
  if (unknown !== undefined) {
    throw new StartError(`--claim ${unknown.slice(sessionPrefix.length)}: claims_map has no ${unknown}`)
  }
  const payload: Record<string, unknown> = {}
  for (const [name, source] of map) {
    const value = claims.get(name)
    if (source.kind === 'literal') {
      if (value !== undefined && JSON.stringify(value) !== JSON.stringify(source.value)) {
        throw new StartError(`claims_map fixes ${name} to ${JSON.stringify(source.value)}`)
      }
    } else if (value !== undefined) put(payload, source.path, value)
    else if (source.standard === undefined) {
      const short = name.slice(sessionPrefix.length)
      throw new StartError(`claims_map reads ${name} from each token: add --claim ${short}=VALUE`)
    }
  }
  return payload
}

/** Puts a value at a path of keys, with objects on the way. */
function put(payload: Record<string, unknown>, path: readonly string[], value: unknown): object {
  const [key = '', ...rest] = path
  if (rest.length === 0) payload[key] = value
  else {
    const inner = Object.hasOwn(payload, key) ? payload[key] : {}
    if (typeof inner === 'object' && inner !== null) payload[key] = put(inner as Record<string, unknown>, rest, value)
  }
  return payload
}

/** Reads the claims as the server will. Paths of a configuration may exclude each other. */
function checkRead(
  payload: Record<string, unknown>,
  role: string,
  configuration: JwtConfiguration,
  dialect: Dialect,
): void {
  try {
    if (sessionOfClaims(payload, configuration, {}, dialect).role === role) return
  } catch (error) {
    if (!(error instanceof TrellisError)) throw error
  }
  const place = configuration.claims.kind === 'map' ? 'claims_map' : 'claims_namespace_path'
  throw new StartError(`--jwt-secret: no token can have these claims where ${place} looks for them`)
}
