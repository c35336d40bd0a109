// The door `trellis/limits` for other plugins. Importing it adds the plugin's parts to the types of documents and models.

export { apiLimits } from './index.ts'
export type { ApiLimits, Limit, RateLimit } from './schema.ts'
