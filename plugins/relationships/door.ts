// The door `trellis/relationships` for other plugins. Importing it adds the plugin's parts to the types of documents and models.

export type {
  ForeignKeyColumns,
  ManualConfiguration,
  OtherKey,
  RelationshipEntry,
  RelationshipType,
  Using,
} from './schema.ts'
