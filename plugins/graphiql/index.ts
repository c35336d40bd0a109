// GraphiQL: a page to try GraphQL requests in any role.

import { hasAdminSecret } from '../../sdk/http.ts'
import { definePlugin, option } from '../../sdk/index.ts'
import { canServe } from './assets.ts'
import { assetRoute, hintRoute, pageRoutes } from './routes.ts'

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
        'serve GraphiQL, a page to try GraphQL, at /graphiql, and at / without the console; without it while there is no admin secret',
    }),
  },
  register(engine) {
    const { enableGraphiql } = engine.options
    // The console takes the root where it is served.
    const isRootFree = !engine.routes.all().some(({ url }) => url === '/')
    if (!(enableGraphiql ?? !hasAdminSecret(engine.settings))) {
      if (enableGraphiql === null && isRootFree) engine.routes.add(hintRoute)
      return
    }
    if (!canServe()) {
      const detail = 'GraphiQL is not served: run npm ci with development dependencies, which the page is built from'
      engine.observe.log({ type: 'unstructured', level: 'warn', detail })
      return
    }
    engine.routes.add(...pageRoutes(engine, isRootFree ? ['/', '/graphiql'] : ['/graphiql']), assetRoute)
  },
})
