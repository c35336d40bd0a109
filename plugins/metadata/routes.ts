import { departureOf, type Route } from '../../sdk/http.ts'
import type { MetadataService } from '../../sdk/metadata.ts'

/** `POST /v1/query`: one operation of the metadata API. */
export const queryRoute = (service: MetadataService): Route => ({
  method: 'POST',
  url: '/v1/query',
  shownAs: 'Metadata',
  api: 'metadata',
  auth: 'session',
  about: { summary: 'Runs an operation of the metadata API.' },
  handle: ({ body, session, reply }) => service.run(body, session, departureOf(reply)),
})
