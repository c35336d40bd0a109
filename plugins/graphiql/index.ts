// GraphiQL: a page to try everything, which browsers find at the root of an open server.

import { hasAdminSecret } from '../../sdk/http.ts'
import { definePlugin, option } from '../../sdk/index.ts'
import { canServe } from './assets.ts'
import { assetRoute, consoleRoutes, hintRoute, pageRoutes } from './routes.ts'

export default definePlugin({
  name: 'graphiql',
  dependencies: ['graphql'],
  api: 'graphql',
  options: {
    enableGraphiql: option.flagOrNone({
      flag: 'enable-graphiql',
      variable: 'ENABLE_GRAPHIQL',
      turnsOn: { page: 'GraphiQL', api: 'graphql' },
      description:
        'serve GraphiQL, a page to try the API, at / and /graphiql; without it while there is no admin secret',
    }),
    enableConsole: option.flagOnly({
      flag: 'enable-console',
      variable: 'ENABLE_CONSOLE',
      description: 'the same for configurations of v1.3, whose console is not there: /console leads to GraphiQL',
    }),
  },
  logged: ({ enableConsole }) => [{ key: 'enable_console', place: 70, value: enableConsole }],
  register(engine) {
    const { enableGraphiql, enableConsole } = engine.options
    const isWanted = enableGraphiql ?? (enableConsole || !hasAdminSecret(engine.settings))
    if (!isWanted) {
      if (enableGraphiql === null) engine.routes.add(hintRoute)
      return
    }
    if (!canServe()) {
      const detail = 'GraphiQL is not served: run npm ci with development dependencies, which the page is built from'
      engine.observe.log({ type: 'unstructured', level: 'warn', detail })
      return
    }
    engine.routes.add(...pageRoutes(engine), assetRoute)
    if (enableConsole) engine.routes.add(...consoleRoutes)
  },
})
