// The door `trellis/tracing` for other plugins. Importing it adds the plugin's parts to the types of documents and models.

export type { Collector } from './metadata.ts'
export type { OpenTelemetry } from './schema.ts'
