// The session of a request: its role and its session variables.

import { badRequest, type ErrorHelp, parseFailed } from '../errors/errors.ts'
import type { Dialect } from '../names/dialect.ts'

/** The proof of a session as records name it; never a secret. */
export interface Identity {
  /** The admin secret that was given, by its kind and place in the option. */
  readonly secret?: string
  /** The subject of the token. */
  readonly subject?: string
}

/** The caller of a request: a role with session variables. */
export interface Session {
  readonly role: string
  /** Names in lower case, including the role, never the admin secret. */
  readonly variables: Readonly<Record<string, string>>
  /** Whether backend-only permissions apply; only trusted requests can ask for them. */
  readonly backendOnly: boolean
  /** Whether it may only read: no mutations, no edits, no SQL, and functions run in read-only transactions. Absent: no. */
  readonly readOnly?: boolean
  /** Absent: nothing proves more than the role. */
  readonly identity?: Identity
  /** The time, in milliseconds since 1970, at which a lasting connection must authenticate again; absent: never. */
  readonly expiresAt?: number
}

/** Whether a session is that of an administrator. */
export const isAdmin = (session: Session): boolean => session.role === 'admin'

/** Refuses a session that may only read; `refused` names the work, in the plural. */
export function refuseReader(session: Pick<Session, 'readOnly'> | null, refused: string): void {
  if (session?.readOnly) throw badRequest('access-denied', `the read secret does not allow ${refused}`)
}

/** The error in a plugin's session variables, for plugins in plain JavaScript; null if they are correct. */
export function faultOfVariables(variables: unknown): string | null {
  if (typeof variables !== 'object' || variables === null) return 'session variables must be an object'
  for (const [name, value] of Object.entries(variables)) {
    if (typeof value !== 'string')
      return `the session variable "${name}" must be a string, but is of type ${typeof value}`
    if (name !== name.toLowerCase()) return `the name of the session variable "${name}" must be in lower case`
  }
  return null
}

/**
 * The session variable (lower case) that a JSON string in a permission refers to; null for other texts. Throws for a
 * variable of the other dialect: taken as plain text, it could let rows through that it is meant to hide.
 */
export function sessionVariableName(names: Dialect, text: string): string | null {
  const lower = text.toLowerCase()
  if (lower === 'req_user_id') return names.userIdVariable
  if (lower.startsWith(names.sessionPrefix)) return lower
  if (!lower.startsWith(names.foreignPrefix)) return null
  const message = `"${text}" is a session variable of the other dialect; here their names begin with "${names.sessionPrefix}"`
  throw parseFailed(message).with({ help: () => foreignHint(names) })
}

/** The hint for a request with names of the other dialect. */
export const foreignHint = ({ foreignPrefix, foreignDialect }: Dialect): ErrorHelp => ({
  hint: `only servers with --dialect ${foreignDialect} use names that begin with "${foreignPrefix}"`,
})
