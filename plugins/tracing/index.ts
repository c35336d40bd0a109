// Traces: requests continue the client's trace, which is passed on to other servers and to database triggers. Spans
// are recorded if a collector is configured.

import { definePlugin, environment } from '../../sdk/index.ts'
import { SpanStorage, unrecordedRequest } from './context.ts'
import { exportIsConfigured } from './environment.ts'
import { newTrace } from './ids.ts'
import { unrecordedOutgoing } from './outgoing.ts'
import { storedSpan } from './stored.ts'

export default definePlugin({
  name: 'tracing',
  async register(engine) {
    const storage = new SpanStorage()
    const { traceSetting } = engine.dialect
    engine.sessionSettings.add(() => {
      const span = storage.current
      const settings: Record<string, string> = {}
      settings[traceSetting] = storedSpan(span?.ids ?? newTrace(), span?.recorded ?? null)
      return settings
    })
    if (exportIsConfigured(environment)) {
      // Loaded on demand: the libraries take longer to load than all built-in plugins.
      const { recordSpans } = await import('./record.ts')
      recordSpans(engine, storage)
      return
    }
    engine.around({
      request: ({ request }, run) => storage.run(unrecordedRequest(request.headers), run),
      ...unrecordedOutgoing(storage),
    })
  },
})
