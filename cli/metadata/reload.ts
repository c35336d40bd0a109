// `trellis metadata reload`

import type { Command } from '../command.ts'
import type { Json } from '../project/parts.ts'
import { problemsOf } from '../target/answers.ts'

export const command: Command = {
  details: 'Reads the database, the stored metadata and the remote schemas of the server again.',
  async run(call) {
    const target = await call.target()
    const answer = await target.run<Json>({ type: 'reload_metadata', args: { reload_remote_schemas: true } })
    return { text: 'metadata reloaded\n', problems: problemsOf(answer['inconsistent_objects']) }
  },
}
