// `GET /v1alpha1/config`: what clients such as a console need to know of the server.

import { definePlugin } from '../../sdk/index.ts'
import { configuration, members } from './routes.ts'

export default definePlugin({
  name: 'config',
  api: 'config',
  register(engine) {
    engine.configuration.add(...members(engine))
    engine.routes.add(configuration(engine))
  },
})
