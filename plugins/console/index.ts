// The console: pages to see, try and change everything in the browser, which find it at the root of an open server.

import { hasAdminSecret } from '../../sdk/http.ts'
import { definePlugin, option } from '../../sdk/index.ts'
import { canServe } from './assets.ts'
import { consoleParts, Extensions } from './parts.ts'
import { assetRoute, moduleRoute, pageRoutes, rootRoute } from './routes.ts'

export default definePlugin({
  name: 'console',
  dependencies: ['metadata'],
  api: 'metadata',
  options: {
    enableConsole: option.flagOrNone({
      flag: 'enable-console',
      variable: 'ENABLE_CONSOLE',
      turnsOn: { page: 'Console', api: 'metadata' },
      description:
        'serve the console at /console, and lead browsers there from /; without it while there is no admin secret',
    }),
    consoleReadOnly: option.flagOnly({
      flag: 'console-read-only',
      variable: 'CONSOLE_READ_ONLY',
      description: 'the console has no controls to edit and refuses edits; a read secret does so for every client',
    }),
  },
  logged: ({ enableConsole }) => [{ key: 'enable_console', place: 70, value: enableConsole === true }],
  register(engine) {
    const extensions = new Extensions()
    engine.provide(consoleParts, extensions)
    if (!(engine.options.enableConsole ?? !hasAdminSecret(engine.settings))) return
    if (!canServe()) {
      const detail = 'the console is not served: run npm ci with development dependencies, which it is built from'
      engine.observe.log({ type: 'unstructured', level: 'warn', detail })
      return
    }
    engine.configuration.add(extensions.member)
    const pages = pageRoutes(engine)
    engine.routes.add(...pages, assetRoute, moduleRoute(extensions, pages[0]!))
    // Where the API is closed, the root is left to others.
    if (engine.apis.isEnabled('metadata')) engine.routes.add(rootRoute)
  },
})
