// The door `trellis/collections` for other plugins. Importing it adds the plugin's parts to the types of documents and models.

export type { AllowedQuery } from './allowed-queries.ts'
export { allowedQueries } from './allowed-queries.ts'
export type { AllowedRoles } from './metadata.ts'
export type { AllowedCollection, CollectedQuery, QueryCollection } from './schema.ts'
