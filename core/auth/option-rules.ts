// Checks which options of authentication can be combined.

import type { AnySettings, Authentication, Option } from '../options/option-values.ts'
import type { AuthSettings } from './options.ts'
import { shareSecret } from './secrets.ts'

/** Whether there is an admin secret. Without one, every request is trusted. */
export const hasAdminSecret = ({ adminSecret, accessKey }: Pick<AuthSettings, 'adminSecret' | 'accessKey'>): boolean =>
  (adminSecret ?? accessKey) !== null

/** An authentication method that an option of a plugin enables. */
interface Way extends Authentication {
  /** The option's flag and variable, for messages. */
  readonly name: string
}

/** All authentication methods, and those that are configured. */
function waysOf(options: readonly Option[], settings: AnySettings, prefix: string) {
  const ways = options.flatMap(({ key, declaration: { authenticates, flag, variable } }) =>
    authenticates ? [{ ...authenticates, key, name: `--${flag} (${prefix}${variable})` }] : [],
  )
  return { all: ways, given: ways.filter(({ key }) => (settings[key] ?? null) !== null) }
}

/** The authentication method for requests without the admin secret; null if none is configured. */
export const authenticationOf = (options: readonly Option[], settings: AnySettings): Way | null =>
  waysOf(options, settings, '').given[0] ?? null

/** The one-line reason why these options cannot be combined; null if they can. */
export function authOptionsRefusal(
  settings: AuthSettings & AnySettings,
  options: readonly Option[],
  prefix: string,
): string | null {
  const hasSecret = hasAdminSecret(settings)
  const secrets = `--admin-secret (${prefix}ADMIN_SECRET) or  --access-key (${prefix}ACCESS_KEY)`
  const { all, given } = waysOf(options, settings, prefix)
  const [way, other] = given
  if (way && other) return `Fatal Error: Both ${way.mode} and ${other.mode} mode cannot be enabled at the same time`
  if (way && !hasSecret) return `Fatal Error : ${way.name} requires ${secrets} to be set`
  if (settings.readSecret !== null) {
    const read = `--read-secret (${prefix}READ_SECRET)`
    if (!hasSecret) return `Fatal Error : ${read} requires ${secrets} to be set`
    if (shareSecret(settings.adminSecret ?? settings.accessKey ?? '', settings.readSecret)) {
      return `Fatal Error : ${read} must differ from ${secrets}`
    }
  }
  if (settings.unauthorizedRole !== null && (!hasSecret || way?.alone)) {
    const role = `--unauthorized-role (${prefix}UNAUTHORIZED_ROLE)`
    const alone = all.filter((each) => each.alone).map(({ name }) => ` and is not allowed when ${name} is set`)
    return `Fatal Error: ${role} requires ${secrets} to be set${alone.join('')}`
  }
  return null
}
