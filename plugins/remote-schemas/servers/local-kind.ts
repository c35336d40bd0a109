// Definitions that name a schema of this process: `{"plugin": "people"}`.

import { type GraphQLSchema, introspectionFromSchema } from 'graphql'
import { badRequest } from '../../../sdk/index.ts'
import { ObjectName, type WireObject } from '../../../sdk/metadata.ts'
import { parseJson } from '../../../sdk/services.ts'
import { fetchIntrospection } from '../types/introspect.ts'
import { timeoutOf } from './http.ts'
import type { ServerKind } from './kinds.ts'
import type { LocalSchemas } from './local.ts'
import { localTransport } from './local-transport.ts'
import type { RemoteCaller } from './transport.ts'

/** The introspections of schemas, which never change. */
const introspections = new WeakMap<GraphQLSchema, object>()

/** The kind of servers that are schemas of this process. Only those without types are asked for an introspection. */
export const localKind = (schemas: Pick<LocalSchemas, 'get'>): ServerKind => ({
  key: 'plugin',
  schema: () => ObjectName,
  request({ plugin = '', timeout_seconds }) {
    const isAsked = schemas.get(plugin)?.schema === null
    return isAsked ? { plugin, ...(timeout_seconds !== undefined && { timeout_seconds }) } : null
  },
  fetch({ plugin = '', ...definition }, signal) {
    const program = schemas.get(plugin)
    if (!program) throw missing(plugin)
    const transport = localTransport({ name: plugin, program, timeout: timeoutOf(definition), origin: plugin })
    const session = { role: 'admin', variables: {}, backendOnly: true }
    const call: RemoteCaller = { session, headers: {}, signal }
    const ask = async (body: string) => {
      const reply = await transport.send({ body, call })
      return { status: 200, headers: {}, body: Buffer.from(reply.whole()), isCut: false }
    }
    return fetchIntrospection(ask, `the plugin's schema "${plugin}"`)
  },
  resolve({ name, definition }, context) {
    const { plugin = '' } = definition
    const program = schemas.get(plugin)
    if (!program) throw missing(plugin)
    const origin = JSON.stringify(definition)
    const transport = localTransport({ name, program, timeout: timeoutOf(definition), origin })
    if (program.schema) {
      return { introspection: introspectionOf(program.schema), transport, schema: program.schema }
    }
    const source = context.source()
    if (source.kind === 'failure') throw badRequest('remote-schema-error', source.reason)
    if (source.trouble !== null) context.report(source.trouble)
    return { introspection: source.value as object, transport }
  },
})

const missing = (plugin: string) => badRequest('not-exists', `no plugin provides the schema "${plugin}"`)

/** The answer of a schema to an introspection, as another server would have sent it. */
export function introspectionOf(schema: GraphQLSchema): object {
  let known = introspections.get(schema)
  if (!known) {
    const options = { inputValueDeprecation: true, specifiedByUrl: true, oneOf: true }
    const data = introspectionFromSchema(schema, options)
    known = Object.freeze(parseJson(JSON.stringify({ data }), 'precise') as WireObject)
    introspections.set(schema, known)
  }
  return known
}
