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
