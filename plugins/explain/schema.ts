import { GraphQLRequestBody } from '../../sdk/graphql.ts'
import { type TSchema, Type } from '../../sdk/index.ts'

const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()])

const Plan = Type.Union([Type.Array(Type.String()), Type.Object({}, { additionalProperties: true }), Type.Null()])

const planned = { sql: nullable(Type.String()), plan: Plan }

/** The answer: an entry for each root field of a query, or the one statement of a subscription. */
export const explanation = Type.Union([
  Type.Array(Type.Object({ field: Type.String(), ...planned })),
  Type.Object(planned),
])

/** The body of an explain request; `query` is a GraphQL request, or its text alone. */
export const explainBody = Type.Object({
  query: Type.Unknown({ shown: Type.Union([Type.String(), GraphQLRequestBody]) }),
  user: Type.Optional(Type.Record(Type.String(), Type.String())),
  is_relay: Type.Optional(Type.Boolean()),
  /** The form of plans: PostgreSQL's lines, or its tree of nodes. */
  format: Type.Optional(Type.Union([Type.Literal('text'), Type.Literal('json')])),
  /** Whether the statements run, so that plans tell actual times and rows. */
  analyze: Type.Optional(Type.Boolean()),
})
