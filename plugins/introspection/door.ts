// The door `trellis/introspection` for other plugins. Importing it adds the plugin's parts to the types of documents and models.

export type { IntrospectionOptions } from './index.ts'
