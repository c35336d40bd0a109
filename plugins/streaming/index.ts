// Streaming subscriptions: the rows after a cursor, batch by batch, each row once.

import { definePlugin } from '../../sdk/index.ts'
import { streamContribution } from './graphql.ts'

export default definePlugin({
  name: 'streaming',
  dependencies: ['tables', 'subscriptions'],
  api: 'graphql',
  register(engine) {
    engine.metadata.typeNames({
      tables: ['*_stream_cursor_input', '*_stream_cursor_value_input'],
      fixed: ['cursor_ordering'],
    })
    engine.graphql.contribute(streamContribution)
  },
})
