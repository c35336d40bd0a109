// The door `trellis/federation` for other plugins. Importing it adds the plugin's parts to the types of documents and models.

export type { FederationConfig } from './schema.ts'
