// Turns the webhook's response into a session or an error.

import {
  badRequest,
  type Dialect,
  foreignHint,
  internalError,
  type Session,
  type TrellisError,
  unauthorized,
} from '../../sdk/index.ts'
import { freshnessOf, jsonType, type OutgoingResponse } from '../../sdk/services.ts'

/** A session, and the harmless errors in the response. */
export interface Decision {
  readonly session: Session
  readonly problems: readonly string[]
}

/** The webhook's decision; throws if the request is refused. */
export function decisionOf({ status, body }: OutgoingResponse, dialect: Dialect): Decision {
  if (status === 401) throw unauthorized('Authentication hook unauthorized this request')
  if (status !== 200) throw internalError('Invalid response from authorization hook')
  const texts = textsOf(body)
  const variables = Object.fromEntries(Object.entries(texts).map(([name, value]) => [name.toLowerCase(), value]))
  delete variables[dialect.adminSecretHeader]
  delete variables[dialect.accessKeyHeader]
  const role = variables[dialect.roleVariable]
  if (!role) throw withoutRole(variables, dialect)
  // These are members of the body, spelled like headers.
  const { 'Cache-Control': cacheControl, Expires: expires } = texts
  const { expiresAt, problems } = freshnessOf(cacheControl, expires, Date.now())
  const session = { role, variables, backendOnly: false, ...(expiresAt !== null && { expiresAt }) }
  return { session, problems }
}

function textsOf(body: Buffer): Readonly<Record<string, string>> {
  const value = parse(body)
  if (jsonType(value) !== 'Object') throw invalid('HashMap ~Text', 'Object', value)
  const bad = Object.values(value as object).find((member) => typeof member !== 'string')
  if (bad !== undefined) throw invalid('Text', 'String', bad)
  return value as Readonly<Record<string, string>>
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    // The parser's message quotes the body, which clients must not see.
    throw internalError('Invalid response from authorization hook: it is not JSON')
  }
}

const invalid = (what: string, expected: string, value: unknown) =>
  internalError(
    `Invalid response from authorization hook: parsing ${what} failed, expected ${expected}, but encountered ${jsonType(value)}`,
  )

function withoutRole(variables: Session['variables'], dialect: Dialect): TrellisError {
  const isForeign = Object.keys(variables).some((name) => name.startsWith(dialect.foreignPrefix))
  const details = isForeign ? { help: () => foreignHint(dialect) } : {}
  return badRequest('invalid-params', `${dialect.roleVariable} not found in session variables`, details)
}
