// Other GraphQL servers whose root fields stand beside those of the tables.

import type { CallGroup } from '../../sdk/graphql.ts'
import { definePlugin, option, serviceKey } from '../../sdk/index.ts'
import type { RemotePlan } from './ask/questions.ts'
import { remoteServer } from './ask/server.ts'
import { remoteFeed } from './events/feed.ts'
import { type RemoteSchemaModel, remoteSchemasSlice } from './metadata.ts'
import {
  addRemoteSchema,
  introspectRemoteSchema,
  reloadRemoteSchema,
  removeRemoteSchema,
  updateRemoteSchema,
} from './operations.ts'
import { addRemoteSchemaPermissions, dropRemoteSchemaPermissions } from './permission-operations.ts'
import { type RemoteFieldsOptions, remoteContribution } from './root-fields.ts'
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
export { longestInline } from './ask/repeated-selections.ts'
export { RequestText } from './ask/request-text.ts'
export { restored } from './ask/restored.ts'
export { type RemoteSchemaModel, remoteSchemaRef } from './metadata.ts'
export { RoleTypes } from './types/role-types.ts'
export type { RemoteView } from './types/view.ts'

/** What other plugins have remote servers answer. */
export interface RemoteServers {
  /** What a role sees of a remote schema; null: nothing. */
  viewOf(remote: RemoteSchemaModel, role: string): RemoteView | null
  /** What answers all that one operation asks of a remote schema's server. */
  groupOf(remote: RemoteSchemaModel): CallGroup<RemotePlan>
  /** Whether errors of servers leave the rest of an answer. */
  readonly isPartial: boolean
  /** Whether nulls are left out of what servers are asked. */
  readonly skipsNulls: boolean
}

export const remoteServers = serviceKey<RemoteServers>('remote-servers')

export default definePlugin({
  name: 'remote-schemas',
  dependencies: ['metadata', 'tables'],
  options: {
    enableRemoteSchemaPermissions: option.flagOnly({
      flag: 'enable-remote-schema-permissions',
      variable: 'ENABLE_REMOTE_SCHEMA_PERMISSIONS',
      description: 'let roles other than admin see of remote schemas only what permissions give them',
    }),
    remoteSchemaPrioritizeData: option.flagOnly({
      flag: 'remote-schema-prioritize-data',
      variable: 'REMOTE_SCHEMA_PRIORITIZE_DATA',
      description:
        'keep the data of a remote server that comes with errors, in the dialect in which errors leave nothing of an answer',
    }),
    remoteSchemaSkipNulls: option.flagOnly({
      flag: 'remote-schema-skip-nulls',
      variable: 'REMOTE_SCHEMA_SKIP_NULLS',
      description:
        'leave arguments of remote fields that are null, and members of their input objects, out of what is sent',
    }),
    remoteJoinBatchSize: option.whole(
      1000,
      { minimum: 1 },
      {
        flag: 'remote-join-batch-size',
        variable: 'REMOTE_JOIN_BATCH_SIZE',
        placeholder: 'N',
        description: 'how many fields rows may ask of a remote server in one request',
      },
    ),
  },
  register(engine) {
    const { dialect, outgoing, options } = engine
    const { enableRemoteSchemaPermissions: hasPermissions, remoteSchemaPrioritizeData, remoteJoinBatchSize } = options
    const isPartial = dialect.partialAnswers || remoteSchemaPrioritizeData
    const groups = new WeakMap<RemoteSchemaModel, CallGroup<RemotePlan>>()
    const server = {
      ...{ outgoing, dialect, keepsData: isPartial, batchSize: remoteJoinBatchSize },
      environment: (name: string) => engine.environment(name),
    }
    const servers: RemoteServers = {
      isPartial,
      skipsNulls: options.remoteSchemaSkipNulls,
      viewOf(remote, role) {
        return hasPermissions && role !== 'admin' ? (remote.permitted.get(role) ?? null) : remote.whole
      },
      groupOf(remote) {
        const group = groups.get(remote) ?? remoteServer(remote, server)
        groups.set(remote, group)
        return group
      },
    }
    engine.metadata.slice('remote_schemas', remoteSchemasSlice(dialect))
    engine.metadata.source(remoteSchemaSource(engine))
    engine.operations.add(addRemoteSchema(dialect), updateRemoteSchema(dialect), removeRemoteSchema)
    engine.operations.add(reloadRemoteSchema, introspectRemoteSchema)
    engine.operations.add(addRemoteSchemaPermissions(hasPermissions), dropRemoteSchemaPermissions)
    const feedOf: RemoteFieldsOptions['feedOf'] = (remote, plan) => remoteFeed(remote, plan, server)
    engine.graphql.contribute(remoteContribution({ ...servers, feedOf }))
    engine.provide(remoteServers, servers)
  },
})
