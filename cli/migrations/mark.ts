// `trellis migrate mark`

import type { Command } from '../command.ts'
import { Failure } from '../exits.ts'
import { readMigrations } from './files.ts'
import { forgetText, markText, mirrorState } from './state.ts'

export const command: Command = {
  words: 'VERSION applied|pending',
  count: [2, 2],
  details:
    'Records that a migration ran in its present form, or forgets that it ran. The migration itself does not run, and the files stay.',
  async run(call) {
    const [version = '', state] = call.words
    if (state !== 'applied' && state !== 'pending') throw new Failure('usage', `"${state}" is not applied or pending`)
    if (!/^\d{1,18}$/.test(version)) throw new Failure('usage', `"${version}" is not the version of a migration`)
    const migration = readMigrations(call.project).find((each) => each.version === version)
    if (state === 'applied' && !migration) throw new Failure('failed', `the project has no migration ${version}`)
    const target = await call.target()
    const place = { source: target.source, version }
    await target.sql(state === 'applied' ? markText(target.source, migration!) : forgetText(place))
    await mirrorState(target, new Map([[version, state === 'applied']]))
    call.changed(`${version} ${state}`)
    return { text: `${version} is recorded as ${state}\n` }
  },
}
