// `trellis migrate status`

import type { Command } from '../command.ts'
import { faultsOf, planOf } from './plan.ts'

export const command: Command = {
  details: 'Lists the migrations of the project and those that ran.',
  flags: { check: { description: 'ends with code 4 unless all migrations are applied, and nothing else is' } },
  async run(call) {
    const plan = await planOf(call.project, await call.target())
    const rows = [
      ...plan.items.map(({ migration, state, applied }) => ({
        version: migration.version,
        name: migration.name,
        state: state as string,
        appliedAt: applied?.appliedAt ?? null,
      })),
      ...plan.missing.map(({ version, name, appliedAt }) => ({
        version,
        name: name ?? '',
        state: 'missing',
        appliedAt,
      })),
    ]
    const longest = Math.max(0, ...rows.map(({ name }) => name.length))
    const lines = rows.map(({ version, name, state, appliedAt }) => {
      return `${version.padEnd(13)}  ${name.padEnd(longest)}  ${state}${appliedAt ? ` ${appliedAt}` : ''}`
    })
    const isClean = rows.every(({ state }) => state === 'applied')
    const text = lines.length === 0 ? 'there are no migrations\n' : `${lines.join('\n')}\n`
    const exit = call.flags['check'] === true && !isClean ? 'differences' : 'done'
    return { text, problems: faultsOf(plan), data: { migrations: rows }, exit }
  },
}
