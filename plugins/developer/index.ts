// Routes and an operation that show a running server to developers of Trellis, or of a plugin.

import { definePlugin } from '../../sdk/index.ts'
import { getRecentOperations, keepOperations, RecentOperations } from './recent-operations.ts'
import { getRecentRequests, keepRequests, RecentRequests } from './recent-requests.ts'
import { gauges, planCache } from './routes.ts'

export default definePlugin({
  name: 'developer',
  api: 'developer',
  enabledByDefault: false,
  register(engine) {
    engine.routes.add(gauges(engine), planCache(engine))
    const requests = new RecentRequests()
    const operations = new RecentOperations()
    if (engine.apis.isEnabled('developer')) {
      keepRequests(engine, requests)
      keepOperations(engine, operations, (name) => requests.named(name))
    }
    engine.operations.add(getRecentRequests(requests, engine.workers), getRecentOperations(operations, engine.workers))
  },
})
