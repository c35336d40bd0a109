// Traces: requests continue the client's trace, which is passed on to other servers and to database triggers. Spans
// are recorded if a collector is configured.

import { definePlugin, environment } from '../../sdk/index.ts'
import type { Model } from '../../sdk/metadata.ts'
import { SpanStorage, unrecordedRequest } from './context.ts'
import { exportIsConfigured, isDisabled } from './environment.ts'
import { newTrace } from './ids.ts'
import { LaterRecording, type PlainHooks } from './later.ts'
import { openTelemetrySlice, setOpenTelemetryConfig, setOpenTelemetryStatus } from './metadata.ts'
import { unrecordedOutgoing } from './outgoing.ts'
import { storedSpan } from './stored.ts'

export default definePlugin({
  name: 'tracing',
  dependencies: ['metadata'],
  async register(engine) {
    const storage = new SpanStorage()
    const { traceSetting } = engine.dialect
    const { graphqlInterface } = engine.settings
    engine.sessionSettings.add(() => {
      const span = storage.current
      const settings: Record<string, string> = {}
      settings[traceSetting] = storedSpan(span?.ids ?? newTrace(), span?.recorded ?? null, graphqlInterface)
      return settings
    })
    engine.metadata.slice('opentelemetry', openTelemetrySlice(engine.dialect))
    engine.operations.add(setOpenTelemetryConfig(engine.dialect), setOpenTelemetryStatus)
    // Loaded on demand: the libraries take longer to load than all built-in plugins.
    const load = async () => (await import('./record.ts')).recordingHooks(engine, storage)
    if (exportIsConfigured(environment)) {
      engine.around(await load())
      return
    }
    const plain = {
      request: ({ request }, run) => storage.run(unrecordedRequest(request.headers), run),
      ...unrecordedOutgoing(storage),
    } satisfies PlainHooks
    const isOff = isDisabled(environment)
    const isRecorded = ({ slices }: Model) => !isOff && (slices.opentelemetry ?? null) !== null
    engine.around(plain, (model) => !isRecorded(model))
    const later = new LaterRecording(plain, load)
    engine.around(later.hooks, isRecorded)
    // Before the change is served.
    engine.metadata.effect(async ({ next }) => {
      if (isRecorded(next)) await later.load()
    })
  },
})
