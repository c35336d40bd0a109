// The wire format of REST endpoints, in arguments and in the document.

import { type ObjectOptions, Type } from '../../sdk/index.ts'
import { ObjectName } from '../../sdk/metadata.ts'

/** The methods that an endpoint can answer, in the order of messages. */
export const restMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** A method that an endpoint may answer. */
export type RestMethod = (typeof restMethods)[number]

/** A path and methods that run a query of a collection. */
export interface RestEndpoint {
  name: string
  /** Below `/api/rest/`; a segment that starts with `:` is a variable. */
  url: string
  methods: RestMethod[]
  definition: { query: { collection_name: string; query_name: string } }
  comment?: string
}

declare module '../../sdk/registry.ts' {
  interface DocumentSlices {
    rest_endpoints: RestEndpoint[]
  }
}

const Method = Type.Union(restMethods.map((method) => Type.Literal(method)))

const endpoint = (options: ObjectOptions) => {
  const query = Type.Object({ collection_name: ObjectName, query_name: ObjectName }, options)
  const members = {
    name: ObjectName,
    url: Type.String({ minLength: 1, examples: ['albums/:id'] }),
    methods: Type.Array(Method, { minItems: 1, examples: [['GET']] }),
    definition: Type.Object({ query }, options),
    comment: Type.Optional(Type.String()),
  }
  return Type.Unsafe<RestEndpoint>(Type.Object(members, options))
}

/** The arguments of `create_rest_endpoint`. */
export const CreateEndpointArgs = endpoint({})

/** The arguments of `drop_rest_endpoint`. */
export const EndpointName = Type.Object({ name: ObjectName })

/** `rest_endpoints` of a document. */
export const DocumentEndpoints = Type.Array(endpoint({ additionalProperties: false }))
