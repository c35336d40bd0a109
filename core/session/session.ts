// Who asks: the role and the session variables of one request.

export interface Session {
  readonly role: string
  /** Lower-case names, the role included; never the admin secret. */
  readonly variables: Readonly<Record<string, string>>
  /** Whether backend-only permissions apply: asked for by a trusted request. */
  readonly backendOnly: boolean
  /** Milliseconds since 1970 at which a lasting connection must authenticate again; absent: never. */
  readonly expiresAt?: number
}

export const isAdmin = (session: Session): boolean => session.role === 'admin'

/** What keeps a plugin's value from being session variables, which no compiler told in plain JavaScript; null: nothing. */
export function faultOfVariables(variables: unknown): string | null {
  if (typeof variables !== 'object' || variables === null) return 'session variables have to be an object'
  for (const [name, value] of Object.entries(variables)) {
    if (typeof value !== 'string')
      return `the session variable "${name}" has to be a text, and is of type ${typeof value}`
    if (name !== name.toLowerCase()) return `the name of the session variable "${name}" has to be in lower case`
  }
  return null
}
