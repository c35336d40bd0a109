// The door `trellis/event-triggers` for other plugins. Importing it adds the plugin's parts to the types of documents and models.

export * from './index.ts'
export type { ListenerEntry, ResolvedListeners } from './listeners/slice.ts'
export type { ResolvedTrigger } from './resolving.ts'
export type { EventTrigger, OperationSpec, RetryConf } from './schema.ts'
