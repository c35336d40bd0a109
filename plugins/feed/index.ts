// News of the server as server-sent events, so that clients such as a console need not ask again and again.

import { definePlugin } from '../../sdk/index.ts'
import { jobs } from '../jobs/index.ts'
import { Feed } from './feed.ts'
import { feedRoute } from './routes.ts'

export default definePlugin({
  name: 'feed',
  dependencies: ['metadata', 'jobs', 'event-triggers', 'history'],
  register(engine) {
    const feed = new Feed(engine, engine.use(jobs))
    engine.metadata.service.onChange(({ resourceVersion }) => feed.changed(resourceVersion))
    engine.routes.add(feedRoute(feed))
    engine.onStopping(() => feed.stop())
  },
})
