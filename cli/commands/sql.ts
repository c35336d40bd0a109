// `trellis sql`

import { resolve } from 'node:path'
import type { Command } from '../command.ts'
import { Failure } from '../exits.ts'
import { textOfFile } from '../text-file.ts'

export const command: Command = {
  words: '[FILE]',
  count: [0, 1],
  details:
    'Runs a file of SQL, or the text of --execute, in one transaction, and prints the rows of the last statement, divided by tabs. The metadata follows renamed and dropped objects.',
  flags: {
    execute: { value: 'SQL', short: 'e', description: 'the text to run' },
    'read-only': { description: 'refuses statements that write' },
  },
  async run(call) {
    const [file] = call.words
    const text = call.flags['execute']
    if ((file === undefined) === (text === undefined)) throw new Failure('usage', 'sql needs either a file or -e SQL')
    const sql = file === undefined ? String(text) : textOfFile(resolve(call.io.cwd, file), file)
    const target = await call.target()
    const isReadOnly = call.flags['read-only'] === true
    const rows = await target.sql(sql, { isReadOnly, checksMetadata: 'auto', file: file ?? 'sql' })
    if (!isReadOnly) call.changed('ran SQL')
    return { text: rows.map((row) => `${row.join('\t')}\n`).join(''), data: { rows } }
  },
}
