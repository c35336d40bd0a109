// Parses `--jwt-secret`. Reasons are worded for the administrator, and never quote the key.

import { type Dialect, pathText, type Static, TrellisError } from '../../sdk/index.ts'
import { decode } from '../../sdk/metadata.ts'
import { isHttpUrl, isJsonObject, parseJsonPath } from '../../sdk/services.ts'
import { type ClaimsMap, compileClaimsMap } from './claims-map.ts'
import { ConfigurationError } from './configuration-error.ts'
import { JwtSecret, type KeyType } from './schema.ts'

/** The source of keys: one in the configuration, or a key set at a URL. */
export type KeySource =
  | { readonly kind: 'key'; readonly type: KeyType; readonly key: string }
  | { readonly kind: 'url'; readonly url: string; readonly type: KeyType | null }

/** The place of the claims about roles and session variables. */
export type ClaimsPlace =
  | { readonly kind: 'map'; readonly map: ClaimsMap }
  | { readonly kind: 'namespace'; readonly name: string }
  | { readonly kind: 'path'; readonly text: string; readonly path: readonly string[] }

/** The place of the token in a request. */
export type TokenPlace =
  | { readonly kind: 'authorization' }
  | { readonly kind: 'cookie'; readonly name: string }
  | { readonly kind: 'header'; readonly name: string }

export interface JwtConfiguration {
  readonly keys: KeySource
  readonly claims: ClaimsPlace
  readonly format: 'json' | 'stringified_json'
  /** A token must be for one of them; null: any audience. */
  readonly audience: readonly string[] | null
  readonly issuer: string | null
  /** The tolerance for times in tokens, in seconds. */
  readonly allowedSkew: number
  readonly token: TokenPlace
  /** The part that administrators may see. */
  readonly report: Readonly<Record<string, unknown>>
}

type Secret = Static<typeof JwtSecret>

/** Parses the option's JSON, an object or a list of objects; throws a {@link ConfigurationError}. */
export function readConfigurations(text: string, dialect: Dialect): readonly JwtConfiguration[] {
  const value = parseOption(text)
  if (isJsonObject(value)) return [configurationOf(value, dialect)]
  const isList = Array.isArray(value) && value.length > 0 && value.every(isJsonObject)
  if (!isList) throw new ConfigurationError(expected)
  return value.map((each, i) => {
    try {
      return configurationOf(each, dialect)
    } catch (error) {
      throw placed(error, i)
    }
  })
}

/** The error about the configuration at this place of the list. */
export const placed = (error: unknown, place: number): unknown =>
  error instanceof ConfigurationError ? new ConfigurationError(`[${place}]: ${error.message}`) : error

const expected = 'Only expecting a JSON object such as {"type": "HS256", "key": "..."}'

function configurationOf(value: object, dialect: Dialect): JwtConfiguration {
  const secret = decodeSecret(value, dialect)
  const claims = claimsPlaceOf(secret, dialect)
  const { audience = null, issuer = null, allowed_skew: allowedSkew = 0, claims_format: format = 'json' } = secret
  return {
    keys: keySourceOf(secret),
    claims,
    format,
    audience: typeof audience === 'string' ? [audience] : audience,
    issuer,
    allowedSkew,
    token: tokenPlaceOf(secret),
    report: {
      claims_namespace: claims.kind === 'path' ? claims.text : (secret.claims_namespace ?? dialect.claimsNamespace),
      claims_format: format,
      ...(secret.claims_map && { claims_map: secret.claims_map }),
    },
  }
}

function decodeSecret(value: object, { strictTokens }: Dialect): Secret {
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(JwtSecret.properties, key))
  if (strictTokens && unknown !== undefined) throw new ConfigurationError(`there is no key "${unknown}"`)
  try {
    return decode(JwtSecret, value)
  } catch (error) {
    if (!(error instanceof TrellisError)) throw error
    throw new ConfigurationError(error.path.length === 0 ? error.message : `${pathText(error.path)}: ${error.message}`)
  }
}

function parseOption(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message may quote the key.
    throw new ConfigurationError(expected)
  }
}

function keySourceOf({ type, key, jwk_url: url }: Secret): KeySource {
  if (key !== undefined && url !== undefined) throw new ConfigurationError('key, jwk_url both cannot be present')
  if (key !== undefined) {
    if (type === undefined) throw new ConfigurationError('key needs a type')
    return { kind: 'key', type, key }
  }
  if (url === undefined) throw new ConfigurationError('key and jwk_url both cannot be empty')
  if (!isHttpUrl(url)) throw new ConfigurationError('jwk_url is not a URL such as https://host/path')
  return { kind: 'url', url, type: type ?? null }
}

/** Keys that have no effect with a `claims_map`. v1.3 ignores them. */
const besideMap = ['claims_namespace', 'claims_namespace_path', 'claims_format'] as const

function claimsPlaceOf(secret: Secret, dialect: Dialect): ClaimsPlace {
  const { claims_namespace: name, claims_namespace_path: text, claims_map: map } = secret
  if (name !== undefined && text !== undefined) {
    throw new ConfigurationError('claims_namespace and claims_namespace_path both cannot be set')
  }
  const unread = besideMap.find((key) => secret[key] !== undefined)
  if (map !== undefined && unread !== undefined && dialect.strictTokens) {
    throw new ConfigurationError(`claims_map replaces ${unread}: both cannot be set`)
  }
  if (map !== undefined) return { kind: 'map', map: compileClaimsMap(map, dialect) }
  if (text === undefined) return { kind: 'namespace', name: name ?? dialect.claimsNamespace }
  const path = parseJsonPath(text)
  if (path === null) throw new ConfigurationError(`invalid JSON path claims_namespace_path error: ${text}`)
  return { kind: 'path', text, path }
}

function tokenPlaceOf({ header }: Secret): TokenPlace {
  if (header === undefined || header.type === 'Authorization') return { kind: 'authorization' }
  if (header.name === undefined) throw new ConfigurationError(`header of type ${header.type} needs a name`)
  if (header.type === 'Cookie') return { kind: 'cookie', name: header.name }
  return { kind: 'header', name: header.name.toLowerCase() }
}
