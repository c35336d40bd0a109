// `GET /v1/version`.

import { definePlugin, reportedVersion, Type } from '../../sdk/index.ts'

export default definePlugin({
  name: 'version',
  register(engine) {
    const { graphqlInterface } = engine.settings
    const version = reportedVersion(engine.dialect, graphqlInterface)
    const answer = graphqlInterface === '2' ? { version, server_type: 'ce' } : { version }
    const result = Type.Object({ version: Type.String(), server_type: Type.Optional(Type.Literal('ce')) })
    engine.routes.add({
      method: 'GET',
      url: '/v1/version',
      api: null,
      auth: 'none',
      unlogged: true,
      about: { summary: 'The version of the server.', result },
      handle: () => answer,
    })
  },
})
