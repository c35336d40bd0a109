import { Type } from '@sinclair/typebox'

/** The body of an explain request; `query` is a GraphQL request, or its text alone. */
export const explainBody = Type.Object({
  query: Type.Unknown(),
  user: Type.Optional(Type.Record(Type.String(), Type.String())),
  is_relay: Type.Optional(Type.Boolean()),
})
