// The sessions of recorded requests.

import { isJsonObject } from '../../core/json/json.ts'
import { bodyOf } from '../target/answers.ts'

/** Session variables without the prefix of their names; null: the caller has no session. */
export type RecordedSession = Readonly<Record<string, string>> | null

const variableName = /^x-(?:hasura|service)-(.+)$/
/** Names with the prefix that name no session variable. */
const notVariables: ReadonlySet<string> = new Set(['admin-secret', 'access-key', 'use-backend-only-permissions'])

/** Session variables by names without prefix; null without any. */
export function sessionOf(variables: unknown): RecordedSession {
  const given = isJsonObject(variables) ? Object.entries(variables) : []
  const named = given.flatMap(([name, value]) => {
    const short = variableName.exec(name.toLowerCase())?.[1]
    return short === undefined || notVariables.has(short) ? [] : [[short, String(value)] as const]
  })
  return named.length > 0 ? Object.fromEntries(named) : null
}

/**
 * The session of recorded headers. The claims of a token are read without verifying it: both servers are asked with their
 * admin secrets, so an expired token still tells the role.
 */
export function sessionOfHeaders(headers: unknown): RecordedSession {
  const list = Array.isArray(headers) ? headers.filter(isJsonObject) : []
  const byName = Object.fromEntries(list.map(({ name, value }) => [String(name).toLowerCase(), String(value)]))
  const given = sessionOf(byName)
  const claims = claimsOf(byName['authorization'])
  if (claims) {
    const { 'default-role': role, 'allowed-roles': _, ...others } = claims
    return { ...others, role: given?.['role'] ?? role ?? 'admin' }
  }
  const isAdmin = Object.keys(byName).some((name) => /^x-(hasura|service)-(admin-secret|access-key)$/.test(name))
  return isAdmin ? { role: 'admin', ...given } : given
}

const namespaces = ['https://hasura.io/jwt/claims', 'claims.jwt.hasura.io']

/** The claims of a JSON web token; null without them. */
function claimsOf(authorization: string | undefined): RecordedSession {
  const payload = /^Bearer\s+[\w-]+\.([\w-]+)\./.exec(authorization ?? '')?.[1]
  const token = payload === undefined ? undefined : bodyOf(Buffer.from(payload, 'base64url').toString())
  if (!isJsonObject(token)) return null
  const [found] = [...namespaces.map((name) => token[name]), ...Object.values(token), token].flatMap((claims) => {
    const session = sessionOf(typeof claims === 'string' ? bodyOf(claims) : claims)
    return session ? [session] : []
  })
  return found ?? null
}
