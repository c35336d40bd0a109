// The directives of a role's schema, as introspection lists them.

import {
  DirectiveLocation,
  GraphQLBoolean,
  GraphQLDirective,
  GraphQLIncludeDirective,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLSkipDirective,
} from 'graphql'
import type { PlannedSchema } from '../read/planned-schema.ts'

const fieldDirective = (directive: GraphQLDirective) =>
  new GraphQLDirective({ ...directive.toConfig(), description: undefined })

const directives = [fieldDirective(GraphQLIncludeDirective), fieldDirective(GraphQLSkipDirective)]

/** A directive that has no effect here: generators of code refuse documents with directives that the schema lacks. */
const cached = new GraphQLDirective({
  name: 'cached',
  description: 'whether this query should be cached; accepted without effect',
  locations: [DirectiveLocation.QUERY],
  args: {
    ttl: { type: new GraphQLNonNull(GraphQLInt), defaultValue: 60, description: 'measured in seconds' },
    refresh: {
      type: new GraphQLNonNull(GraphQLBoolean),
      defaultValue: false,
      description: 'refresh the cache entry',
    },
  },
})

/** The directives of a role's schema. */
export const directivesOf = ({ settings }: PlannedSchema): readonly GraphQLDirective[] =>
  settings.graphqlInterface === '2' ? [cached, ...directives] : directives
