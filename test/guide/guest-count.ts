// A plugin that uses the service of another one.

import { definePlugin } from 'trellis'
import { guests } from './guests.ts'

export default definePlugin({
  name: 'guest-count',
  dependencies: ['guests'],
  register(engine) {
    const { count } = engine.use(guests)
    engine.routes.add({ method: 'GET', url: '/guests', auth: 'admin', handle: async () => ({ guests: await count() }) })
  },
})
