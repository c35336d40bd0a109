// The Model Context Protocol: queries that administrators allow are tools of language models, with the caller's permissions.

import { definePlugin } from '../../sdk/index.ts'
import { mcpOptions } from './options.ts'

export default definePlugin({
  name: 'mcp',
  api: 'mcp',
  enabledByDefault: false,
  dependencies: ['metadata', 'graphql', 'collections', 'rest-endpoints', 'introspection', 'limits'],
  options: mcpOptions,
  async register(engine) {
    if (!engine.apis.isEnabled('mcp')) return
    const { startMcp } = await import('./start.ts')
    startMcp(engine)
  },
})
