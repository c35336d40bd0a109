// `trellis migrate up`

import type { Command } from '../command.ts'
import { countOf } from './count.ts'
import { withLock } from './lock.ts'
import { faultsOf, pendingOf, planOf, refuseFaults } from './plan.ts'
import { reload, runUp } from './run.ts'

export const command: Command = {
  words: '[N]',
  count: [0, 1],
  details:
    'Applies pending migrations in order, at most N of them, each in a transaction with its record. A migration that begins with the comment "-- no transaction" runs statement by statement; it needs --database-url.',
  async run(call) {
    const most = countOf(call.words[0])
    const target = await call.target()
    return await withLock(target, async () => {
      const plan = await planOf(call.project, target)
      refuseFaults(plan)
      const pending = pendingOf(plan).slice(0, most ?? undefined)
      if (pending.length === 0) return { text: 'nothing is pending\n', problems: faultsOf(plan) }
      await runUp(call, target, pending)
      const problems = [...faultsOf(plan), ...(await reload(target))]
      return { text: `applied ${pending.length} of ${pendingOf(plan).length} pending migrations\n`, problems }
    })
  },
}
