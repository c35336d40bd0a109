// The door `trellis/scheduled` for other plugins. Importing it adds the plugin's parts to the types of documents and models.

export type { ResolvedCronTrigger, ResolvedCronTriggers } from './metadata.ts'
export type { CronTrigger, ScheduledRetryConf } from './schema.ts'
