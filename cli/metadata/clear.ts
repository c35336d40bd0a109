// `trellis metadata clear`

import type { Command } from '../command.ts'

export const command: Command = {
  details: 'Removes all metadata of the server. Tables and rows stay.',
  async run(call) {
    const target = await call.target()
    await call.consent('Remove all metadata?')
    await target.run({ type: 'clear_metadata', args: {} })
    call.changed('metadata')
    return { text: 'metadata cleared\n' }
  },
}
