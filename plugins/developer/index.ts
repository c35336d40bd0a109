// What a developer of Trellis, or of a plugin, wants to see of a running server.

import { definePlugin } from '../../sdk/index.ts'
import { gauges, planCache } from './routes.ts'

export default definePlugin({
  name: 'developer',
  api: 'developer',
  enabledByDefault: false,
  register(engine) {
    engine.routes.add(gauges(engine), planCache(engine))
  },
})
