// The latest event and attempt of each trigger.

import type { Engine } from '../../sdk/index.ts'
import { storableText } from '../../sdk/sql.ts'
import { knownTriggers } from './lookup.ts'

/** Times in UTC; null: the log has none. */
export interface LatestEvents extends Record<string, unknown> {
  readonly name: string
  readonly recorded_at: string | null
  readonly attempted_at: string | null
}

const latest = (table: string) => `(
  select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') from trellis.${table}
  where trigger_name = name order by created_at desc limit 1)`

const statement = `
  select name, ${latest('event_log')} as recorded_at, ${latest('event_invocation_logs')} as attempted_at
  from unnest($1::text[]) as name`

/** Two index entries are read for each trigger. */
export function latestEvents({
  database,
  metadata,
}: Pick<Engine, 'database' | 'metadata'>): Promise<readonly LatestEvents[]> {
  const { document, model } = metadata.service
  const names = knownTriggers({ metadata: document, model }).filter((name) => name === storableText(name))
  return names.length === 0 ? Promise.resolve([]) : database.rows<LatestEvents>(statement, [names])
}
