// `GET /api/openapi.json`: the APIs of this server as an OpenAPI document, and a page that shows it.

import { definePlugin } from '../../sdk/index.ts'
import { documentRoute, pageRoute } from './routes.ts'

export default definePlugin({
  name: 'openapi',
  dependencies: ['metadata'],
  register(engine) {
    engine.routes.add(documentRoute(engine), pageRoute(engine))
  },
})
