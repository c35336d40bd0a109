// Routes that show a running server to developers of Trellis, or of a plugin.

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
