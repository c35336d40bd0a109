// The first plugin of docs/plugins.md.

import { definePlugin } from 'trellis'

export default definePlugin({
  name: 'glossary',
  register(engine) {
    engine.routes.add({ method: 'GET', url: '/glossary', auth: 'session', handle: () => ({ title: 'Glossary' }) })
  },
})
