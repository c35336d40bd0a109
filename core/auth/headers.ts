// Reads session variables from request headers.

import type { IncomingHttpHeaders } from 'node:http'
import { badRequest } from '../errors/errors.ts'
import type { Dialect } from '../names/dialect.ts'
import { faultOfVariables, foreignHint, type Session } from '../session/session.ts'

/** The headers of a request, with names in lower case, as Node reads them. */
export type RequestHeaders = Readonly<IncomingHttpHeaders>

const beyondAscii = /[^\0-\x7f]/

/** Decodes a header's value. Clients send UTF-8, but Node decodes the bytes as Latin-1. */
export function headerText(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name]
  if (value === undefined) return undefined
  const text = typeof value === 'string' ? value : value.join(', ')
  return beyondAscii.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text
}

/** The name of a session header of the other dialect in a request without one of this dialect; else null. */
export function foreignHeader(headers: RequestHeaders, dialect: Dialect): string | null {
  let foreign: string | null = null
  for (const name in headers) {
    if (name.startsWith(dialect.sessionPrefix)) return null
    if (foreign === null && name.startsWith(dialect.foreignPrefix)) foreign = name
  }
  return foreign
}

/**
 * Refuses session headers of the other dialect without any of this one. Otherwise the client would get another role
 * than it asked for.
 */
export function refuseForeign(headers: RequestHeaders, dialect: Dialect): void {
  const foreign = foreignHeader(headers, dialect)
  if (foreign === null) return
  const message = `"${foreign}" is a header of the other dialect; here their names begin with "${dialect.sessionPrefix}"`
  throw badRequest('invalid-headers', message, { help: () => foreignHint(dialect) })
}

/** The session variables in the headers, without secrets; `role` becomes the role variable. */
function sessionVariables(headers: RequestHeaders, dialect: Dialect, role: string): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const name in headers) {
    if (!name.startsWith(dialect.sessionPrefix)) continue
    if (name === dialect.adminSecretHeader || name === dialect.accessKeyHeader) continue
    const value = headerText(headers, name)
    if (value !== undefined) variables[name] = value
  }
  variables[dialect.roleVariable] = role
  return variables
}

const truths = new Set(['true', 't', 'yes', 'y'])
const falsehoods = new Set(['false', 'f', 'no', 'n'])

function backendOnly(variables: Session['variables'], name: string): boolean {
  const text = variables[name]?.toLowerCase()
  if (text === undefined || falsehoods.has(text)) return false
  if (truths.has(text)) return true
  const rule = `True values are ${JSON.stringify([...truths])} and  False values are ${JSON.stringify([...falsehoods])}`
  throw badRequest('bad-request', `${name}:  Not a valid boolean text. ${rule}. All values are case insensitive`)
}

/** The session of a trusted request, which may choose any role; by default `admin`. */
export function trustedSession(headers: RequestHeaders, dialect: Dialect): Session {
  const role = headerText(headers, dialect.roleVariable) || 'admin'
  return sessionAs(role, sessionVariables(headers, dialect, role), dialect)
}

/**
 * Like {@link trustedSession}, for session variables with lower-case names and without secrets. Throws for other
 * names: a misspelt role variable would be ignored, and the session would be an administrator's.
 */
export function assumedSession(given: Session['variables'], dialect: Dialect): Session {
  const fault = faultOfVariables(given)
  if (fault !== null) throw new Error(fault)
  const role = given[dialect.roleVariable] || 'admin'
  return sessionAs(role, { ...given, [dialect.roleVariable]: role }, dialect)
}

const sessionAs = (role: string, variables: Session['variables'], dialect: Dialect): Session => ({
  role,
  variables,
  backendOnly: backendOnly(variables, dialect.backendOnlyVariable),
})

/** The session of a request whose role was decided elsewhere. Its headers give the other variables. */
export const untrustedSession = (headers: RequestHeaders, dialect: Dialect, role: string): Session => ({
  role,
  variables: sessionVariables(headers, dialect, role),
  backendOnly: false,
})
