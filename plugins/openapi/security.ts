// The access rules of routes, in OpenAPI's words.

import type { Route } from '../../sdk/http.ts'
import type { Engine } from '../../sdk/index.ts'
import type { JsonSchema } from './json-schema.ts'

type Requirement = Readonly<Record<string, readonly string[]>>

/** How requests are authenticated on this server. */
export function securitySchemes({ auth, dialect }: Pick<Engine, 'auth' | 'dialect'>): JsonSchema {
  const role = {
    type: 'apiKey',
    in: 'header',
    name: dialect.roleVariable,
    description: 'the role to act as; trusted as it is, since the server has no admin secret',
  }
  if (auth.mode === 'none') return { role }
  const adminSecret = { type: 'apiKey', in: 'header', name: dialect.adminSecretHeader }
  return {
    adminSecret,
    ...(auth.mode === 'jwt' && { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } }),
  }
}

/** The credentials that a route requires; any one of the list is enough. */
export function securityOf(
  access: Route['auth'],
  { auth, settings }: Pick<Engine, 'auth' | 'settings'>,
): readonly Requirement[] {
  if (access === 'none') return []
  // Without a secret, a request that names no role is one of `admin`.
  if (auth.mode === 'none') return [{}, { role: [] }]
  const ways: Requirement[] = [{ adminSecret: [] }]
  if (auth.mode === 'jwt') ways.push({ token: [] })
  // The server does not know which headers a webhook reads. The unauthorized role needs no credentials.
  const isOpen = auth.mode !== 'jwt' && auth.mode !== 'admin-secret'
  if (isOpen || (access === 'session' && settings.unauthorizedRole !== null)) ways.push({})
  return ways
}
