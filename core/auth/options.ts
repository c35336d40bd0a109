// The options of authentication that core has; plugins add ways of their own.

import { text } from '../options/option-kinds.ts'
import type { SettingsOf } from '../options/option-values.ts'
import { secretsRefusal } from './secrets.ts'

/** A property's name is the option's key in the configuration file. */
export const authOptions = {
  adminSecret: text({
    flag: 'admin-secret',
    variable: 'ADMIN_SECRET',
    json: 'list',
    placeholder: 'TEXT',
    secret: true,
    check: secretsRefusal,
    description:
      'who sends it is trusted with any role; without one everybody is. A JSON array of texts: any one of them',
  }),
  accessKey: text({
    flag: 'access-key',
    variable: 'ACCESS_KEY',
    json: 'list',
    placeholder: 'TEXT',
    secret: true,
    check: secretsRefusal,
    description: 'former name of --admin-secret, which wins',
  }),
  unauthorizedRole: text({
    flag: 'unauthorized-role',
    variable: 'UNAUTHORIZED_ROLE',
    placeholder: 'ROLE',
    description: 'role of requests without admin secret and token; without it they are refused',
  }),
}

/** The values of these options. */
export type AuthSettings = SettingsOf<typeof authOptions>
