// A plugin that uses what another one provides.

import { definePlugin } from 'trellis'
import { visits } from './visits.ts'

export default definePlugin({
  name: 'visit-count',
  dependencies: ['visits'],
  register(engine) {
    const { count } = engine.use(visits)
    engine.routes.add({ method: 'GET', url: '/visits', auth: 'admin', handle: async () => ({ visits: await count() }) })
  },
})
