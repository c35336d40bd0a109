// A plugin for tests of the process: a request that takes as many seconds as its path says.

import { definePlugin } from '../../core/engine/plugin.ts'

export default definePlugin({
  name: 'slow',
  register(engine) {
    engine.routes.add({
      method: 'GET',
      url: '/slow/:seconds',
      api: null,
      auth: 'none',
      async handle({ request }) {
        const { seconds } = request.params as { seconds: string }
        console.error('a slow request has come')
        await engine.database.rows('select pg_sleep($1::float8)', [seconds])
        return { slept: Number(seconds) }
      },
    })
  },
})
