// The door `trellis/rest-endpoints` for other plugins. Importing it adds the plugin's parts to the types of documents and models.

export type { ServedEndpoint, ServedEndpoints } from './metadata.ts'
export type { RestEndpoint, RestMethod } from './schema.ts'
