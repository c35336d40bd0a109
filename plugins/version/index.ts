// `GET /v1/version`.

import { definePlugin } from '../../core/plugin.ts'
import { version } from '../../core/version.ts'

export default definePlugin({
  name: 'version',
  register(engine) {
    engine.routes.add({ method: 'GET', url: '/v1/version', api: null, auth: 'none', handle: () => ({ version }) })
  },
})
