// `GET /v1alpha1/config`: facts about the server for clients such as a console.

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
