// Introspection of the GraphQL schema can be disabled for roles.

import { chooseOperation, type GraphQLOperation } from '../../sdk/graphql.ts'
import { badRequest, definePlugin, Type } from '../../sdk/index.ts'
import { type Model, ObjectName, operation, type SliceDefinition } from '../../sdk/metadata.ts'
import type { AroundSync, DocumentWork } from '../../sdk/services.ts'
import { introspects } from './introspects.ts'

const Options = Type.Object({ disabled_for_roles: Type.Array(ObjectName) }, { additionalProperties: false })

/** The roles that may not ask for the schema. */
export interface IntrospectionOptions {
  disabled_for_roles: string[]
}

declare module '../../sdk/registry.ts' {
  interface DocumentSlices {
    graphql_schema_introspection: IntrospectionOptions
  }
  interface ModelSlices {
    graphql_schema_introspection: ReadonlySet<string>
  }
}

const slice: SliceDefinition<'graphql_schema_introspection', typeof Options> = {
  schema: Options,
  empty: { disabled_for_roles: [] },
  write: (options) => (options.disabled_for_roles.length > 0 ? options : undefined),
  resolve: ({ disabled_for_roles: roles }) => new Set(roles),
}

const setOptions = operation({
  type: 'set_graphql_schema_introspection_options',
  about: { summary: 'Sets the roles that may not ask for the GraphQL schema.' },
  args: Options,
  handle({ metadata }, options) {
    metadata.graphql_schema_introspection = options
  },
})

export default definePlugin({
  name: 'introspection',
  dependencies: ['metadata'],
  register(engine) {
    const asking = new WeakMap<GraphQLOperation, boolean>()
    engine.metadata.slice('graphql_schema_introspection', slice)
    engine.operations.add(setOptions)
    const disabled = ({ slices }: Model) => slices.graphql_schema_introspection
    const document: AroundSync<DocumentWork> = ({ document, session: { role }, request }, run) => {
      if (disabled(engine.model)?.has(role)) {
        const chosen = chooseOperation(document, request.operationName)
        const asks = asking.get(chosen) ?? introspects(chosen)
        asking.set(chosen, asks)
        if (asks) throw badRequest('not-supported', `introspection is disabled for role: "${role}"`)
      }
      return run()
    }
    engine.around({ document }, (model) => (disabled(model)?.size ?? 0) > 0)
  },
})
