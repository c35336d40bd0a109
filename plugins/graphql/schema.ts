// GraphQL requests and answers over HTTP, for descriptions.

import { GraphQLRequestBody } from '../../sdk/graphql.ts'
import { Type } from '../../sdk/index.ts'

const GraphQLResult = Type.Object(
  {
    data: Type.Optional(Type.Unknown()),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          message: Type.String(),
          locations: Type.Optional(Type.Array(Type.Object({ line: Type.Integer(), column: Type.Integer() }))),
          // Absent in errors of other servers that have none.
          extensions: Type.Optional(
            Type.Object({ path: Type.String(), code: Type.String() }, { additionalProperties: true }),
          ),
          path: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Integer()]))),
        }),
      ),
    ),
  },
  { title: 'GraphQLResult' },
)

/** One request, or a batch of them. */
export const GraphQLBody = Type.Union([GraphQLRequestBody, Type.Array(GraphQLRequestBody)])

/** One answer, or those of a batch. */
export const GraphQLAnswer = Type.Union([GraphQLResult, Type.Array(GraphQLResult)])
