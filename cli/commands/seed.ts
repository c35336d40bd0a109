// `trellis seed`

import type { Command } from '../command.ts'
import { runSeeds } from './seeds.ts'

export const command: Command = {
  words: '[FILE...]',
  count: [0, Number.POSITIVE_INFINITY],
  details: 'Runs the files of seeds/SOURCE in order, or the named ones. Each file is a transaction.',
  async run(call) {
    const count = await runSeeds(call, await call.target(), call.words.length > 0)
    return { text: `ran ${count} seeds\n` }
  },
}
