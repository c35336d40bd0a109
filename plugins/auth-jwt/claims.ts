// Derives the session from a payload: the allowed roles, the requested role, and the other session variables.

import { headerText, type RequestHeaders } from '../../sdk/http.ts'
import { badRequest, type Dialect, foreignHint, type Session, type TrellisError } from '../../sdk/index.ts'
import { isJsonObject, jsonType, valueAt } from '../../sdk/services.ts'
import { mappedClaims } from './claims-map.ts'
import type { JwtConfiguration } from './configuration.ts'
import type { Payload } from './verify.ts'

type ClaimsConfiguration = Pick<JwtConfiguration, 'claims' | 'format'>

/** Claims by lower-case session variable. */
type Claims = ReadonlyMap<string, unknown>

const invalidClaims = (message: string, hint?: string): TrellisError =>
  badRequest('jwt-invalid-claims', message, hint === undefined ? {} : { help: () => ({ hint }) })

const mismatch = (what: string, expected: string, value: unknown): string =>
  `parsing ${what} failed, expected ${expected}, but encountered ${jsonType(value)}`

/** The role and session variables of a request with this token and these headers. */
export function sessionOfClaims(
  payload: Payload,
  configuration: ClaimsConfiguration,
  headers: RequestHeaders,
  dialect: Dialect,
): Pick<Session, 'role' | 'variables'> {
  const claims = sessionClaims(payload, configuration, dialect)
  const allowed = allowedRoles(claims, dialect.allowedRolesClaim)
  const standard = defaultRole(claims, dialect.defaultRoleClaim)
  const role = headerText(headers, dialect.roleVariable) || standard
  if (!allowed.includes(role)) throw roleNotAllowed(role, dialect)
  return { role, variables: { ...variablesOf(claims, configuration, dialect), [dialect.roleVariable]: role } }
}

function roleNotAllowed(role: string, { allowedRolesClaim }: Dialect): TrellisError {
  const hint = `the claim "${allowedRolesClaim}" does not list ${JSON.stringify(role)}`
  return badRequest('access-denied', 'Your requested role is not in allowed roles', { help: () => ({ hint }) })
}

function sessionClaims(payload: Payload, { claims: place, format }: ClaimsConfiguration, dialect: Dialect): Claims {
  if (place.kind === 'map') return mappedClaims(place.map, payload)
  const value = place.kind === 'path' ? valueAt(payload, place.path) : valueAt(payload, [place.name])
  if (value === undefined) {
    throw invalidClaims(
      place.kind === 'path'
        ? `claims not found at claims_namespace_path: '${place.text}'`
        : `claims key: '${place.name}' not found`,
    )
  }
  const source = place.kind === 'path' ? `claims_namespace_path ${place.text}` : `claims_namespace ${place.name}`
  const object = format === 'json' ? jsonClaims(value) : stringifiedClaims(value, source)
  const entries = Object.entries(object).map(([key, claim]) => [key.toLowerCase(), claim] as const)
  const own = entries.filter(([name]) => name.startsWith(dialect.sessionPrefix))
  const isForeign = own.length === 0 && entries.some(([name]) => name.startsWith(dialect.foreignPrefix))
  if (isForeign) throw missingRoles(dialect.allowedRolesClaim).with({ help: () => foreignHint(dialect) })
  return new Map(own)
}

function jsonClaims(value: unknown): object {
  if (isJsonObject(value)) return value
  throw invalidClaims('expecting a json object when claims_format is json')
}

function stringifiedClaims(value: unknown, source: string): object {
  if (typeof value !== 'string') {
    throw invalidClaims('expecting a string when claims_format is stringified_json')
  }
  try {
    const parsed: unknown = JSON.parse(value)
    if (isJsonObject(parsed)) return parsed
  } catch {
    // Refused below, as JSON that is not an object.
  }
  throw invalidClaims(`expecting stringified json at: '${source}', but found: ${value}`)
}

const missingRoles = (name: string): TrellisError =>
  badRequest('jwt-missing-role-claims', `JWT claim does not contain ${name}`)

function allowedRoles(claims: Claims, name: string): readonly string[] {
  const value = claims.get(name)
  if (value === undefined) throw missingRoles(name)
  const invalid = (reason: string) => invalidClaims(`invalid ${name}; should be a list of roles: ${reason}`)
  if (!Array.isArray(value)) throw invalid(mismatch('[]', 'Array', value))
  return value.map((role) => roleName(role, invalid))
}

function defaultRole(claims: Claims, name: string): string {
  const value = claims.get(name)
  if (value === undefined) throw missingRoles(name)
  return roleName(value, (reason) => invalidClaims(`invalid ${name}; should be a single role name: ${reason}`))
}

function roleName(value: unknown, invalid: (reason: string) => TrellisError): string {
  if (typeof value !== 'string') throw invalid(mismatch('Text', 'String', value))
  if (value === '') throw invalid('empty string not allowed')
  return value
}

/** The claims except those about roles. Secrets cannot be session variables. */
function variablesOf(claims: Claims, { claims: place }: ClaimsConfiguration, dialect: Dialect): Record<string, string> {
  const others = [
    dialect.allowedRolesClaim,
    dialect.defaultRoleClaim,
    dialect.adminSecretHeader,
    dialect.accessKeyHeader,
  ]
  const variables: Record<string, string> = {}
  for (const [name, value] of claims) {
    if (others.includes(name)) continue
    if (value === undefined && place.kind === 'map') {
      throw invalidClaims(`JWT claim from claims_map, ${name} not found`)
    }
    if (typeof value !== 'string') {
      const hint = `the claim "${name}" must be a text`
      throw invalidClaims(`${dialect.sessionPrefix}* claims: ${mismatch('Text', 'String', value)}`, hint)
    }
    variables[name] = value
  }
  return variables
}
