// Requests are authenticated by keys that have roles.

import { definePlugin, headerText, unauthorized, untrustedSession } from 'trellis'

/** The plugin, with roles by key. */
export default (roles: ReadonlyMap<string, string>) =>
  definePlugin({
    name: 'api-keys',
    register(engine) {
      engine.auth.use({
        mode: 'api-key',
        authenticate(headers) {
          const role = roles.get(headerText(headers, 'x-api-key') ?? '')
          if (role === undefined) throw unauthorized('an x-api-key that is known is required')
          return untrustedSession(headers, engine.dialect, role)
        },
        usesCookie: () => false,
      })
    },
  })
