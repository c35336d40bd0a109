// `trellis migrate verify`

import type { Command } from '../command.ts'
import { faultsOf, planOf } from './plan.ts'

export const command: Command = {
  details: 'Compares the migrations of the project with those that ran, by checksum. Exit code 4 when they differ.',
  async run(call) {
    const plan = await planOf(call.project, await call.target())
    const problems = faultsOf(plan)
    if (problems.length > 0) return { problems, exit: 'differences' }
    return { text: `${plan.applied.size} migrations ran as they are in the project\n` }
  },
}
