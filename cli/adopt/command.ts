// `trellis adopt`

import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from '../command.ts'
import { Failure } from '../exits.ts'
import { applyMetadata, exportMetadata } from '../metadata/server.ts'
import { givenBy } from './given.ts'
import { reportOf, textOf } from './report.ts'
import { shadow } from './shadow.ts'

export const command: Command = {
  words: 'DIR|FILE|URL',
  count: [1, 1],
  details:
    'Reads the metadata of another engine, from a folder, a document of format 1, 2 or 3, or a server. Lists each kind of key as honoured, approximated or refused, with its place. Exit code 4 if a key is refused. With --shadow the file is a log or a HAR file: its GraphQL requests are sent to both servers as the roles of their callers. Exit code 4 if answers differ.',
  flags: {
    report: { value: 'FILE', description: 'writes the report into a file' },
    apply: { description: 'applies the metadata unless a key is refused; inconsistent objects are kept' },
    'from-admin-secret-file': { value: 'FILE', description: 'a file with the admin secret of the server at URL' },
    shadow: { value: 'URL', description: 'replays the requests of FILE on the server at URL and on the target' },
    'with-mutations': {
      description: 'replays mutations, too: they stay on the server at URL, and are rolled back on the target',
    },
  },
  async run(call) {
    const { shadow: other, 'with-mutations': withMutations } = call.flags
    if (typeof other === 'string') return shadow(call, other)
    if (withMutations === true) throw new Failure('usage', '--with-mutations needs --shadow')
    const given = await givenBy(call, call.words[0]!)
    const target = await call.target()
    if (!target.isTrellis) throw new Failure('usage', 'adopt needs a server of Trellis as its target')
    const { version } = await exportMetadata(target)
    const args = { metadata: given.document, allow_inconsistent_metadata: true, dry_run: true }
    const answer = await target.ask('/v1/metadata', { type: 'replace_metadata', version: 2, args })
    const report = reportOf(given, answer)
    const { report: file, apply } = call.flags
    const text = textOf(report)
    if (typeof file === 'string') {
      writeFileSync(resolve(call.io.cwd, file), text)
      call.changed(`wrote ${file}`)
    }
    const shown = { text: typeof file === 'string' ? '' : text, data: { ...report } }
    const isRefused = report.findings.some(({ verdict }) => verdict === 'refused')
    if (isRefused) return { ...shown, problems: ['keys are refused, so nothing is applied'], exit: 'differences' }
    if (apply === true) {
      await applyMetadata(target, { ...given, isStrict: false, version })
      call.changed('metadata')
    }
    return shown
  },
}
