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

const disabledRoles = ({ slices }: Model) => slices.graphql_schema_introspection

/** Refuses a role that may not ask for the schema of a model. */
export function requireIntrospection({ model, role }: { readonly model: Model; readonly role: string }): void {
  if (!disabledRoles(model)?.has(role)) return
  throw badRequest('not-supported', `introspection is disabled for role: "${role}"`)
}

export default definePlugin({
  name: 'introspection',
  dependencies: ['metadata'],
  register(engine) {
    const asking = new WeakMap<GraphQLOperation, boolean>()
    engine.metadata.slice('graphql_schema_introspection', slice)
    engine.operations.add(setOptions)
    const document: AroundSync<DocumentWork> = ({ document, session: { role }, request }, run) => {
      const { model } = engine
      if (disabledRoles(model)?.has(role)) {
        const chosen = chooseOperation(document, request.operationName)
        const asks = asking.get(chosen) ?? introspects(chosen)
        asking.set(chosen, asks)
        if (asks) requireIntrospection({ model, role })
      }
      return run()
    }
    engine.around({ document }, (model) => (disabledRoles(model)?.size ?? 0) > 0)
  },
})
