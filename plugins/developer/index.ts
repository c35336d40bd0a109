// Routes and an operation that show a running server to developers of Trellis, or of a plugin.

import { definePlugin } from '../../sdk/index.ts'
import { getRecentRequests, keepRequests, RecentRequests } from './recent-requests.ts'
import { gauges, planCache } from './routes.ts'

export default definePlugin({
  name: 'developer',
  api: 'developer',
  enabledByDefault: false,
  register(engine) {
    engine.routes.add(gauges(engine), planCache(engine))
    const recent = new RecentRequests()
    if (engine.apis.isEnabled('developer')) keepRequests(engine, recent)
    engine.operations.add(getRecentRequests(recent, engine.workers))
  },
})
