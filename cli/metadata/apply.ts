// `trellis metadata apply`

import type { Command } from '../command.ts'
import { Failure } from '../exits.ts'
import { placesIn } from '../project/places.ts'
import { readMetadata } from '../project/read.ts'
import { applyMetadata, exportMetadata } from './server.ts'

export const command: Command = {
  details:
    'Replaces the metadata of the server by that of the folder metadata/. Objects that do not fit the database are kept and listed as problems.',
  flags: {
    'dry-run': { description: 'changes nothing, and lists the problems that there would be' },
    strict: { description: 'refuses metadata with objects that do not fit the database' },
  },
  async run(call) {
    const document = readMetadata(call.project)
    const place = placesIn(call.project.metadata)
    const target = await call.target()
    const isStrict = call.flags['strict'] === true
    if (call.flags['dry-run'] === true) {
      // Another server would pass over the key, and apply the document.
      if (!target.isTrellis)
        throw new Failure('usage', '--dry-run needs a server of Trellis: compare with metadata diff')
      const problems = await applyMetadata(target, { document, place, isStrict, isDryRun: true })
      return { text: 'nothing was changed\n', problems, exit: isStrict && problems.length > 0 ? 'failed' : 'done' }
    }
    const { version } = await exportMetadata(target)
    const problems = await applyMetadata(target, { document, place, isStrict, version })
    call.changed('metadata')
    return { text: 'metadata applied\n', problems }
  },
}
