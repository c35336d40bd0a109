// The promised exports: GraphQL schemas of this process as remote schemas.

export {
  type LocalCall,
  type LocalExecutor,
  type LocalOperation,
  type LocalSchema,
  type RemoteSchemas,
  remoteSchemas,
} from './servers/local.ts'
export type { RemoteCaller } from './servers/transport.ts'
