// `trellis branch drop`

import type { Command } from '../command.ts'
import { branchFlags, withBranches } from './open.ts'

export const command: Command = {
  words: 'NAME',
  count: [1, 1],
  details:
    'Removes the copy of a branch, also a database that is in use. Only copies that branch create made. Needs consent.',
  flags: branchFlags,
  run: async (call) => {
    const [branch = ''] = call.words
    await call.consent(`Remove the copy for ${branch}?`)
    const removed = await withBranches(call, (branches) => branches.drop(branch))
    call.changed(`removed ${removed}`)
    return { text: `${removed}\n` }
  },
}
