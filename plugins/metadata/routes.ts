import { callerOf, disconnectSignal, type Route } from '../../sdk/http.ts'
import type { Engine } from '../../sdk/index.ts'
import type { MetadataService } from '../../sdk/metadata.ts'

/** `POST /v1/query`: one operation of the metadata API. */
export const queryRoute = (service: MetadataService, settings: Engine['settings']): Route => ({
  method: 'POST',
  url: '/v1/query',
  shownAs: 'Metadata',
  api: 'metadata',
  auth: 'session',
  about: { summary: 'Runs an operation of the metadata API.' },
  async handle(call) {
    const { body, session, reply } = call
    const result = await service.run(body, session, disconnectSignal(reply), callerOf(call, settings))
    // Fastify sends a string unchanged, which would not be JSON.
    return typeof result === 'string' ? JSON.stringify(result) : result
  },
})
