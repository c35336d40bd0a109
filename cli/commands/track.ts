// `trellis track`

import { isJsonObject } from '../../core/json/json.ts'
import type { Command } from '../command.ts'
import { Failure } from '../exits.ts'
import type { Json } from '../project/parts.ts'

const nameOf = (table: unknown): string => {
  const { schema, name } = isJsonObject(table) ? table : { schema: 'public', name: table }
  return schema === 'public' ? String(name) : `${schema}.${name}`
}

export const command: Command = {
  details:
    'Tracks the tables and views that are not tracked yet. Those that cannot be tracked are listed with a reason.',
  flags: {
    all: { description: 'all schemas' },
    schema: { value: 'SCHEMA', description: 'one schema' },
  },
  async run(call) {
    const { all, schema } = call.flags
    if ((all === true) === (schema !== undefined))
      throw new Failure('usage', 'track needs either --all or --schema SCHEMA')
    const target = await call.target()
    if (!target.isTrellis) throw new Failure('failed', 'this server cannot track all tables in one request')
    const args = { source: target.source, ...(schema !== undefined && { schemas: [schema] }) }
    const answer = await target.run<Json>({ type: 'pg_track_tables', args })
    const tables = (Array.isArray(answer['tables']) ? answer['tables'] : []).map(nameOf)
    const warnings = Array.isArray(answer['warnings']) ? answer['warnings'].filter(isJsonObject) : []
    for (const table of tables) call.changed(`tracked ${table}`)
    const problems = warnings.map(({ name, message }) => `${name}: ${message}`)
    return { text: tables.length === 0 ? 'nothing is left to track\n' : `${tables.join('\n')}\n`, problems }
  },
}
