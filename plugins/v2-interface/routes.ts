// `POST /v1/metadata` and `POST /v2/query`, which divide `/v1/query` of v1.3.

import { callerOf, disconnectSignal, isStrict, originOf, type Route, strictHeader } from '../../sdk/http.ts'
import { badRequest, type Engine, isAdmin, Type } from '../../sdk/index.ts'
import type { MetadataService, RequestForm } from '../../sdk/metadata.ts'
import { metadataForm, queryForm } from './forms.ts'

interface Endpoint {
  readonly url: string
  readonly form: RequestForm
  readonly summary: string
}

const endpoints: readonly Endpoint[] = [
  { url: '/v1/metadata', form: metadataForm, summary: 'Runs an operation of the metadata API of version 2.' },
  { url: '/v2/query', form: queryForm, summary: 'Runs a data operation or SQL of the metadata API of version 2.' },
]

const routeOf = (
  { url, form, summary }: Endpoint,
  service: MetadataService,
  { settings, dialect }: Pick<Engine, 'settings' | 'dialect'>,
): Route => ({
  method: 'POST',
  url,
  api: 'metadata',
  auth: 'session',
  forReaders: true,
  about: { summary, headers: strictHeader(dialect) },
  async handle(call) {
    const { body, session, reply } = call
    // Other roles learn nothing about operations and arguments.
    if (!isAdmin(session)) throw badRequest('access-denied', 'restricted access : admin only', { path: ['args'] })
    const whenUnwanted = disconnectSignal(reply)
    const how = { whenUnwanted, caller: callerOf(call, settings), origin: originOf(call), form }
    const circumstances = { ...how, isStrict: isStrict(call, dialect) }
    const result = await service.run(body, session, circumstances)
    // Fastify sends a string unchanged, which would not be JSON.
    return typeof result === 'string' ? JSON.stringify(result) : result
  },
})

const entitlement = (database: Engine['database']): Route => ({
  method: 'GET',
  url: '/v1/entitlement',
  api: 'metadata',
  auth: 'admin',
  about: {
    summary: 'What consoles of version 2 ask about a licence: there is none.',
    result: Type.Object({ metadata_db_id: Type.String(), status: Type.Literal('none') }),
  },
  async handle() {
    const [metadata] = await database.rows<{ id: string }>('select id from trellis.metadata')
    return { metadata_db_id: metadata!.id, status: 'none' }
  },
})

/** The routes. */
export const routesOf = (
  service: MetadataService,
  engine: Pick<Engine, 'settings' | 'dialect' | 'database'>,
): readonly Route[] => [
  ...endpoints.map((endpoint) => routeOf(endpoint, service, engine)),
  entitlement(engine.database),
]
