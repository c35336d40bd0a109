// The door `trellis/inherited-roles` for other plugins. Importing it adds the plugin's parts to the types of documents and models.

export type { InheritedRole } from './schema.ts'
