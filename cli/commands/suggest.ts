// `trellis suggest`

import { isJsonObject } from '../../core/json/json.ts'
import type { Command } from '../command.ts'
import { Failure } from '../exits.ts'
import type { Json } from '../project/parts.ts'

function lineOf({ type, name, from, to }: Json): string {
  const [source, target] = [from, to].map((end) => {
    const { table, columns } = end as { table: { schema: string; name: string }; columns: readonly string[] }
    return `${table.schema}.${table.name}(${columns.join(', ')})`
  })
  return `${type} ${name}: ${source} -> ${target}`
}

export const command: Command = {
  details: 'Lists the relationships that foreign keys between tracked tables make possible.',
  flags: { apply: { description: 'creates them' } },
  async run(call) {
    const target = await call.target()
    if (!target.isTrellis) throw new Failure('failed', 'this server does not suggest names of relationships')
    const apply = call.flags['apply'] === true
    const args = { source: target.source, omit_tracked: true, apply }
    const { relationships } = await target.run<Json>({ type: 'pg_suggest_relationships', args })
    const list = (Array.isArray(relationships) ? relationships : []).filter(isJsonObject)
    const lines = list.map(lineOf)
    if (apply) for (const line of lines) call.changed(`created ${line}`)
    return {
      text: lines.length === 0 ? 'nothing to suggest\n' : `${lines.join('\n')}\n`,
      data: { relationships: list },
    }
  },
}
