// The door `trellis/network` for other plugins. Importing it adds the plugin's parts to the types of documents and models.

export type { UnverifiedHost } from './index.ts'
