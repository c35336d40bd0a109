// `trellis branch create`

import type { Command } from '../command.ts'
import { gitBranch } from './name.ts'
import { branchFlags, withBranches } from './open.ts'

export const command: Command = {
  words: '[NAME]',
  count: [0, 1],
  details:
    'Copies the database with its rows, metadata and schedules for a git branch, the present one when NAME is absent, and prints its URL or directory. Undelivered events and calls stay with the original. No server may use the original meanwhile.',
  flags: {
    ...branchFlags,
    template: { value: 'NAME', description: 'copies this database of the same server instead' },
  },
  run: async (call) => {
    const branch = call.words[0] ?? gitBranch(call.io.cwd)
    const template = typeof call.flags['template'] === 'string' ? call.flags['template'] : null
    const place = await withBranches(call, (branches) => branches.create(branch, template))
    call.changed(`copied for ${branch}`)
    return { text: `${place}\n`, data: { branch, place } }
  },
}
