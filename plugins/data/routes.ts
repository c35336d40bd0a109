import { disconnectSignal, type Route } from '../../sdk/http.ts'
import { notFound, parseFailed, Type } from '../../sdk/index.ts'
import type { MetadataService } from '../../sdk/metadata.ts'
import { isJsonObject, jsonType } from '../../sdk/services.ts'

const operations = new Set(['select', 'insert', 'update', 'delete', 'count'])

/** The data operations on a table of schema `public`, under a path of their own. */
export const tableRoute = (service: MetadataService): Route => ({
  method: 'POST',
  url: '/api/1/table/:table/:operation',
  auth: 'session',
  about: {
    summary: 'Runs one of the data operations select, insert, update, delete and count on a table of schema public.',
    body: Type.Object({}, { additionalProperties: true }),
    failures: { 404: { summary: 'there is no such operation' } },
  },
  handle({ body, request, session, reply }) {
    const { table, operation } = request.params as { readonly table: string; readonly operation: string }
    if (!operations.has(operation)) throw notFound('No such resource exists')
    if (!isJsonObject(body)) {
      throw parseFailed(`parsing Object failed, expected Object, but encountered ${jsonType(body)}`)
    }
    const args = { ...body, table: { schema: 'public', name: table } }
    return service.run({ type: operation, args }, session, disconnectSignal(reply))
  },
})
