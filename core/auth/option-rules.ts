// Which options of authentication go together.

import type { Settings } from '../options/options.ts'

type AuthOptions = Pick<Settings, 'adminSecret' | 'accessKey' | 'authHook' | 'jwtSecret' | 'unauthorizedRole'>

/** Whether anybody has to show who they are; without an admin secret everybody is trusted. */
export const hasAdminSecret = ({ adminSecret, accessKey }: Pick<Settings, 'adminSecret' | 'accessKey'>): boolean =>
  (adminSecret ?? accessKey) !== null

/** Why these options cannot be used together, as the one line that is shown; null when they can. */
export function authOptionsRefusal(settings: AuthOptions, prefix: string): string | null {
  const hasSecret = hasAdminSecret(settings)
  const { authHook, jwtSecret, unauthorizedRole } = settings
  const secrets = `--admin-secret (${prefix}ADMIN_SECRET) or  --access-key (${prefix}ACCESS_KEY)`
  const hook = `--auth-hook (${prefix}AUTH_HOOK)`
  if (authHook !== null && jwtSecret !== null) {
    return 'Fatal Error: Both webhook and JWT mode cannot be enabled at the same time'
  }
  if (!hasSecret && authHook !== null) return `Fatal Error : ${hook} requires ${secrets} to be set`
  if (!hasSecret && jwtSecret !== null) {
    return `Fatal Error : --jwt-secret (${prefix}JWT_SECRET) requires ${secrets} to be set`
  }
  if (unauthorizedRole !== null && (!hasSecret || authHook !== null)) {
    const role = `--unauthorized-role (${prefix}UNAUTHORIZED_ROLE)`
    return `Fatal Error: ${role} requires ${secrets} to be set and is not allowed when ${hook} is set`
  }
  return null
}
