// The door `trellis/remote-relationships` for other plugins. Importing it adds the plugin's parts to the types of documents and models.

export type { RemoteJoin, RemoteRelationshipModel } from './metadata.ts'
export type {
  RemoteField,
  RemoteRelationshipDefinition,
  RemoteRelationshipEntry,
  TableRelationshipDefinition,
  TableRelationshipEntry,
} from './schema.ts'
export type { ToTable, ToTableDefinition } from './to-table.ts'
