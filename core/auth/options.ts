// Core's options of authentication. Plugins add their own methods.

import { text } from '../options/option-kinds.ts'
import type { SettingsOf } from '../options/option-values.ts'
import { secretsRefusal } from './secrets.ts'

/** A property's name is the option's key in the configuration file. */
export const authOptions = {
  adminSecret: text({
    flag: 'admin-secret',
    variable: 'ADMIN_SECRET',
    laterFlag: 'admin-secrets',
    laterVariable: 'ADMIN_SECRETS',
    json: 'list',
    placeholder: 'TEXT',
    secret: true,
    check: secretsRefusal,
    description:
      'secret that gives a request any role; without it, all requests are trusted. A JSON array of texts: any of them; ADMIN_SECRETS is the variable of later engines',
  }),
  accessKey: text({
    flag: 'access-key',
    variable: 'ACCESS_KEY',
    json: 'list',
    placeholder: 'TEXT',
    secret: true,
    check: secretsRefusal,
    description: 'former name of --admin-secret, which takes precedence',
  }),
  readSecret: text({
    flag: 'read-secret',
    variable: 'READ_SECRET',
    json: 'list',
    placeholder: 'TEXT',
    secret: true,
    check: secretsRefusal,
    description:
      'secret that allows any role to read, and nothing else; sent like the admin secret. A JSON array of texts: any of them',
  }),
  unauthorizedRole: text({
    flag: 'unauthorized-role',
    variable: 'UNAUTHORIZED_ROLE',
    placeholder: 'ROLE',
    description: 'role of requests without admin secret or token; by default they are refused',
  }),
}

/** The values of these options. */
export type AuthSettings = SettingsOf<typeof authOptions>
