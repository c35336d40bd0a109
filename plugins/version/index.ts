// `GET /v1/version`.

import { definePlugin, reportedVersion, Type } from '../../sdk/index.ts'

export default definePlugin({
  name: 'version',
  register(engine) {
    const answer = { version: reportedVersion(engine.dialect, engine.settings.graphqlInterface) }
    engine.routes.add({
      method: 'GET',
      url: '/v1/version',
      api: null,
      auth: 'none',
      unlogged: true,
      about: { summary: 'The version of the server.', result: Type.Object({ version: Type.String() }) },
      handle: () => answer,
    })
  },
})
