// `GET /v1alpha1/config`: what clients such as a console need to know of the server.

import { definePlugin } from '../../sdk/index.ts'
import { liveQueries } from './live-queries.ts'
import { configuration, members } from './routes.ts'

export default definePlugin({
  name: 'config',
  api: 'config',
  logged: () => [{ key: 'live_query_options', place: 121, value: liveQueries }],
  register(engine) {
    engine.configuration.add(...members(engine))
    engine.routes.add(configuration(engine))
  },
})
