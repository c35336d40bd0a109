// `trellis branch list`

import type { Command } from '../command.ts'
import { branchFlags, withBranches } from './open.ts'

export const command: Command = {
  details: 'Lists the copies that branch create made.',
  flags: branchFlags,
  run: async (call) => {
    const branches = await withBranches(call, (each) => each.list())
    const text = branches.map(
      ({ branch, database, size }) => `${[branch, database, size].filter(Boolean).join('\t')}\n`,
    )
    return { text: text.join(''), data: { branches } }
  },
}
