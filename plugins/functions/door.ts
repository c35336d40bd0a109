// The door `trellis/functions` for other plugins. Importing it adds the plugin's parts to the types of documents and models.

export type { FunctionModel } from './metadata.ts'
export type { FunctionConfiguration, FunctionEntry } from './schema.ts'
