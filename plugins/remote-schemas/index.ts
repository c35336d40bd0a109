// GraphQL schemas of other servers and of this process, whose root fields are served beside those of the tables.

import { arraysAreLists, type CallGroup, type SchemaScope } from '../../sdk/graphql.ts'
import { definePlugin, type Engine, messageOf, option, serviceKey, Type } from '../../sdk/index.ts'
import type { RemotePlan } from './ask/questions.ts'
import { remoteServer } from './ask/server.ts'
import { remoteFeed } from './events/feed.ts'
import { RemoteSubscriptions } from './events/subscribe.ts'
import { findRemoteSchema, type RemoteSchemaModel, remoteSchemasSlice } from './metadata.ts'
import {
  addRemoteSchema,
  introspectRemoteSchema,
  readByEveryRole,
  reloadRemoteSchema,
  removeRemoteSchema,
  updateRemoteSchema,
} from './operations.ts'
import { addRemoteSchemaPermissions, dropRemoteSchemaPermissions } from './permission-operations.ts'
import { permittedTo, sharedSchemas } from './permitted.ts'
import { type RemoteFieldsOptions, remoteContribution } from './root-fields.ts'
import { httpKind } from './servers/http-kind.ts'
import { ServerKinds } from './servers/kinds.ts'
import { LocalSchemas, remoteSchemas } from './servers/local.ts'
import { localKind } from './servers/local-kind.ts'
import { RelationshipsOfTypes } from './type-relationships.ts'
import { remoteSchemaSource } from './types/introspect.ts'
import type { RemoteView } from './types/view.ts'

export { type AnswerMembers, type AnswerShape, renamedOf, shapeOf } from './ask/answer-shape.ts'
export {
  type AskedField,
  type FieldAnswer,
  prefixBeside,
  presetValue,
  presetVariable,
  type Question,
  type RemotePlan,
} from './ask/questions.ts'
export { RequestText } from './ask/request-text.ts'
export { restored } from './ask/restored.ts'
export { type RemoteSchemaModel, remoteSchemaRef } from './metadata.ts'
export { requireRemoteSchema } from './operations.ts'
export { timeoutOf } from './servers/http.ts'
export type { ResolvedServer, ServerContext, ServerKind } from './servers/kinds.ts'
export { type LocalCall, localProgram } from './servers/local.ts'
export { introspectionOf } from './servers/local-kind.ts'
export { jsonText, localTransport } from './servers/local-transport.ts'
export type { RemoteAnswer, RemoteTransport } from './servers/transport.ts'
export { longestInline } from './tuning.ts'
export {
  type RelationshipDefinitions,
  type ResolvingRelationship,
  type TypeRelationshipPlace,
  typeRelationshipRef,
  withRelationship,
} from './type-relationships.ts'
export { introspectedSchema } from './types/introspected-schema.ts'
export { RoleTypes } from './types/role-types.ts'
export { neededName, type TypeMember } from './types/type-members.ts'
export type { RemoteView } from './types/view.ts'

/** The access that other plugins have to remote servers. */
export interface RemoteServers {
  /** The part of a remote schema that a role sees; null if it sees none of it. */
  viewOf(remote: RemoteSchemaModel, scope: SchemaScope): RemoteView | null
  /** The call group that sends all fields of one operation for this server. */
  groupOf(remote: RemoteSchemaModel): CallGroup<RemotePlan>
  /** Whether the rest of an answer is kept when a server returns errors. */
  readonly isPartial: boolean
  /** Whether null arguments are left out of requests to servers. */
  readonly skipsNulls: boolean
}

/** The service that asks the servers of remote schemas. */
export const remoteServers = serviceKey<RemoteServers>('remote-servers')

/** The service to which other plugins add kinds of servers. */
export const serverKinds = serviceKey<ServerKinds>('remote-server-kinds')

/** The service to which one plugin gives the definitions of relationships from remote types. */
export const relationshipsOfTypes = serviceKey<RelationshipsOfTypes>('relationships-of-remote-types')

export default definePlugin({
  name: 'remote-schemas',
  dependencies: ['metadata', 'tables'],
  options: {
    enableRemoteSchemaPermissions: option.flagOnly({
      flag: 'enable-remote-schema-permissions',
      variable: 'ENABLE_REMOTE_SCHEMA_PERMISSIONS',
      description: 'limit roles other than admin to the parts of remote schemas that their permissions list',
    }),
    remoteSchemaPrioritizeData: option.flagOnly({
      flag: 'remote-schema-prioritize-data',
      variable: 'REMOTE_SCHEMA_PRIORITIZE_DATA',
      description: 'with --dialect hasura, keep the data that a remote server returns beside errors',
    }),
    remoteSchemaSkipNulls: option.flagOnly({
      flag: 'remote-schema-skip-nulls',
      variable: 'REMOTE_SCHEMA_SKIP_NULLS',
      description: 'leave null arguments, and null members of input objects, out of requests to remote servers',
    }),
    remoteJoinBatchSize: option.whole(
      1000,
      { minimum: 1 },
      {
        flag: 'remote-join-batch-size',
        variable: 'REMOTE_JOIN_BATCH_SIZE',
        placeholder: 'N',
        description: 'most fields that one request to a remote server asks for rows',
      },
    ),
  },
  register(engine) {
    const { dialect, outgoing, options } = engine
    const { enableRemoteSchemaPermissions: hasPermissions, remoteSchemaPrioritizeData, remoteJoinBatchSize } = options
    const isPartial = dialect.partialAnswers || remoteSchemaPrioritizeData
    const groups = new WeakMap<RemoteSchemaModel, CallGroup<RemotePlan>>()
    const asking = { keepsData: isPartial, batchSize: remoteJoinBatchSize }
    const environment = (name: string) => engine.environment(name)
    const schemas = new LocalSchemas()
    const kinds = new ServerKinds()
    kinds.add(httpKind({ outgoing, dialect, environment, subscriptions: new RemoteSubscriptions(outgoing) }))
    kinds.add(localKind(schemas))
    const relationships = new RelationshipsOfTypes()
    const shaping = { dialect, kinds, relationships }
    const servers: RemoteServers = {
      isPartial,
      skipsNulls: options.remoteSchemaSkipNulls,
      viewOf: (remote, scope) => (hasPermissions && scope.role !== 'admin' ? permittedTo(scope, remote) : remote.whole),
      groupOf(remote) {
        const group = groups.get(remote) ?? remoteServer(remote, asking)
        groups.set(remote, group)
        return group
      },
    }
    engine.metadata.slice('remote_schemas', remoteSchemasSlice(shaping, arraysAreLists(engine.settings)))
    engine.metadata.source(remoteSchemaSource(kinds))
    engine.operations.add(addRemoteSchema(shaping, !hasPermissions), updateRemoteSchema(shaping), removeRemoteSchema)
    engine.operations.add(reloadRemoteSchema(kinds), introspectRemoteSchema)
    engine.operations.add(addRemoteSchemaPermissions(hasPermissions), dropRemoteSchemaPermissions)
    if (engine.settings.graphqlInterface === '2') {
      const key = 'is_remote_schema_permissions_enabled'
      engine.configuration.add({ key, place: 14, schema: Type.Boolean(), value: () => hasPermissions })
    }
    const { unauthorizedRole: role } = engine.settings
    if (role !== null && !hasPermissions) {
      engine.metadata.effect(async ({ previous, next }) => {
        const names = [...(next.slices.remote_schemas?.keys() ?? [])]
        if (previous || names.length === 0) return
        const message = `requests without credentials may use remote schemas: ${readByEveryRole}`
        engine.observe.log({
          type: 'metadata',
          level: 'warn',
          detail: { message, info: { role, remote_schemas: names } },
        })
      })
    }
    const feedOf: RemoteFieldsOptions['feedOf'] = (remote, plan) => remoteFeed(remote, plan, asking)
    engine.graphql.contribute(remoteContribution({ ...servers, feedOf }))
    if (hasPermissions) engine.access.share(sharedSchemas)
    engine.provide(remoteServers, servers)
    engine.provide(remoteSchemas, schemas)
    engine.provide(serverKinds, kinds)
    engine.provide(relationshipsOfTypes, relationships)
    engine.onReady(() => {
      schemas.close()
      return addMissing(schemas.names, engine)
    })
  },
})

/** Adds the schemas of plugins to the metadata that no remote schema has yet. */
async function addMissing(names: readonly string[], { metadata, observe }: Engine): Promise<void> {
  const { service } = metadata
  const session = { role: 'admin', variables: {}, backendOnly: true }
  for (const name of names) {
    const entries = service.document.remote_schemas
    if (entries.some(({ definition }) => definition.plugin === name)) continue
    try {
      await service.run({ type: 'add_remote_schema', args: { name, definition: { plugin: name } } }, session)
    } catch (error) {
      // Another instance that starts at the same time may have been faster.
      if (findRemoteSchema(service.document, name)?.definition.plugin === name) continue
      const detail = {
        message: "a plugin's schema is not served",
        info: { remote_schema: name, reason: messageOf(error) },
      }
      observe.log({ type: 'metadata', level: 'error', detail })
    }
  }
}
