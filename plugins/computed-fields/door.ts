// The door `trellis/computed-fields` for other plugins. Importing it adds the plugin's parts to the types of documents and models.

export type { ComputedFieldModel } from './metadata.ts'
export type { ComputedFieldDefinition, ComputedFieldEntry } from './schema.ts'
