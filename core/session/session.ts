// The session of a request: its role and its session variables.

export interface Session {
  readonly role: string
  /** Names in lower case, including the role, never the admin secret. */
  readonly variables: Readonly<Record<string, string>>
  /** Whether backend-only permissions apply; only trusted requests can ask for them. */
  readonly backendOnly: boolean
  /** The time, in milliseconds since 1970, at which a lasting connection must authenticate again; absent: never. */
  readonly expiresAt?: number
}

export const isAdmin = (session: Session): boolean => session.role === 'admin'

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
