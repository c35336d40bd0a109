// `trellis migrate down`

import type { Command } from '../command.ts'
import { Failure } from '../exits.ts'
import { countOf } from './count.ts'
import { withLock } from './lock.ts'
import { planOf, refuseFaults } from './plan.ts'
import { reload, runDown } from './run.ts'

export const command: Command = {
  words: 'N',
  count: [1, 1],
  details: 'Undoes the last N migrations by their down.sql, each in a transaction with its record. Needs consent.',
  async run(call) {
    const count = countOf(call.words[0])!
    const target = await call.target()
    return await withLock(target, async () => {
      const plan = await planOf(call.project, target)
      refuseFaults(plan)
      const applied = plan.items.filter(({ state }) => state === 'applied')
      if (applied.length < count)
        throw new Failure('failed', `only ${applied.length} migrations of the project are applied`)
      const last = applied.slice(-count).reverse()
      await call.consent(`Undo ${last.map(({ migration }) => migration.folder).join(', ')}?`)
      await runDown(call, target, last)
      return { text: `undid ${last.length} migrations\n`, problems: await reload(target) }
    })
  },
}
