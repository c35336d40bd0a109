// The door `trellis/event-triggers` for other plugins. Importing it adds the plugin's parts to the types of documents and models.

export * from './index.ts'
export type { ResolvedTrigger } from './metadata.ts'
export type { EventTrigger, OperationSpec, RetryConf } from './schema.ts'
