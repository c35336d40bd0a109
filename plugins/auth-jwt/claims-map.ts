// `claims_map`: session variables from any path in a token, or with fixed values.

import type { Dialect } from '../../sdk/index.ts'
import { parseJsonPath, valueAt } from '../../sdk/services.ts'
import { ConfigurationError } from './configuration-error.ts'

/** The source of a session variable. */
type ClaimSource =
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'path'; readonly path: readonly string[]; readonly standard: unknown }

/** The sources of session variables, by lower-case name. */
export type ClaimsMap = ReadonlyMap<string, ClaimSource>

/** Parses a `claims_map`; both role variables are required. */
export function compileClaimsMap(given: Readonly<Record<string, unknown>>, dialect: Dialect): ClaimsMap {
  const { allowedRolesClaim, defaultRoleClaim } = dialect
  const map = new Map<string, ClaimSource>()
  for (const [key, value] of Object.entries(given)) {
    const name = key.toLowerCase()
    if (!name.startsWith(dialect.sessionPrefix)) {
      throw new ConfigurationError(`claims_map: "${key}" does not start with ${dialect.sessionPrefix}`)
    }
    map.set(name, sourceOf(key, value, name === allowedRolesClaim))
  }
  for (const name of [allowedRolesClaim, defaultRoleClaim]) {
    if (!map.has(name)) throw new ConfigurationError(`${name} is expected but not found`)
  }
  return map
}

const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string')

function sourceOf(key: string, value: unknown, isList: boolean): ClaimSource {
  if (isList ? isTextList(value) : typeof value === 'string') return { kind: 'literal', value }
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, 'path')) {
    const { path: text, default: standard } = value as { path?: unknown; default?: unknown }
    const path = typeof text === 'string' ? parseJsonPath(text) : null
    if (path === null)
      throw new ConfigurationError(`claims_map: invalid JSON path of "${key}": ${JSON.stringify(text)}`)
    return { kind: 'path', path, standard }
  }
  const literal = isList ? 'a list of texts' : 'a text'
  throw new ConfigurationError(`claims_map: "${key}" must be ${literal} or {"path": ..., "default"?: ...}`)
}

/** The session variables of a token's payload; undefined if a path does not exist. */
export function mappedClaims(map: ClaimsMap, payload: unknown): Map<string, unknown> {
  const entries = [...map].map(([name, source]) => {
    if (source.kind === 'literal') return [name, source.value] as const
    return [name, valueAt(payload, source.path) ?? source.standard] as const
  })
  return new Map(entries)
}
