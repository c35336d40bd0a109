// `trellis metadata export`

import type { Command } from '../command.ts'
import { writeMetadata } from '../project/write.ts'
import { exportMetadata } from './server.ts'

export const command: Command = {
  details:
    'Writes the metadata of the server into the folder metadata/. Comments, the order of keys and the split into files stay; files that say the same are not touched.',
  async run(call) {
    const { document } = await exportMetadata(await call.target())
    const files = writeMetadata(call.project, document)
    for (const file of files) call.changed(file)
    return { text: files.length === 0 ? 'nothing has changed\n' : `${files.join('\n')}\n` }
  },
}
