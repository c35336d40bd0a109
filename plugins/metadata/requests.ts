// Requests of the metadata API: their endpoint, and `bulk`, which runs several as one.

import { callerOf, disconnectSignal, isStrict, originOf, type Route, strictHeader } from '../../sdk/http.ts'
import { type Engine, Type } from '../../sdk/index.ts'
import { type MetadataService, operation } from '../../sdk/metadata.ts'

/** `POST /v1/query`: one operation of the metadata API. */
export const queryRoute = (
  service: MetadataService,
  { settings, dialect }: Pick<Engine, 'settings' | 'dialect'>,
): Route => ({
  method: 'POST',
  url: '/v1/query',
  shownAs: 'Metadata',
  api: 'metadata',
  auth: 'session',
  forReaders: true,
  about: { summary: 'Runs an operation of the metadata API.', headers: strictHeader(dialect) },
  async handle(call) {
    const { body, session, reply } = call
    const whenUnwanted = disconnectSignal(reply)
    const how = { whenUnwanted, caller: callerOf(call, settings), origin: originOf(call) }
    const circumstances = { ...how, isStrict: isStrict(call, dialect) }
    const result = await service.run(body, session, circumstances)
    // Fastify sends a string unchanged, which would not be JSON.
    return typeof result === 'string' ? JSON.stringify(result) : result
  },
})

/** Its access and effects are those of its members. */
export const bulk = operation({
  type: 'bulk',
  about: { summary: 'Runs requests in order; they succeed or fail together.', result: Type.Array(Type.Unknown()) },
  args: Type.Array(Type.Unknown()),
  adminOnly: false,
  access: 'any',
  editsMetadata: false,
  mayBeLarge: true,
  members: (requests) => requests.map((envelope, i) => ({ at: [i], envelope })),
  async handle({ runMember }, requests) {
    const results: unknown[] = []
    for (const i of requests.keys()) results.push(await runMember(i))
    return results
  },
})
