// The door `trellis/remote-schemas` for other plugins. Importing it adds the plugin's parts to the types of documents and models.

export * from './graphql.ts'
export { type RemoteServers, remoteServers } from './index.ts'
export type { RemoteSchemaModel } from './metadata.ts'
export type {
  Customization,
  NameChanges,
  RemoteSchemaDefinition,
  RemoteSchemaEntry,
  RemoteSchemaPermission,
} from './schema.ts'
