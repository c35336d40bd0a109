// `trellis metadata problems`

import { isJsonObject } from '../../core/json/json.ts'
import type { Command } from '../command.ts'
import { problemsOf } from '../target/answers.ts'

export const command: Command = {
  details: 'Lists the objects of the metadata that do not fit the database. Exit code 4 when there are any.',
  flags: { drop: { description: 'removes these objects from the metadata' } },
  async run(call) {
    const target = await call.target()
    const answer = await target.run({ type: 'get_inconsistent_metadata', args: {} })
    const list = isJsonObject(answer) ? answer['inconsistent_objects'] : answer
    const problems = problemsOf(list)
    if (problems.length === 0) return { text: 'no problems\n' }
    if (call.flags['drop'] !== true) return { problems, exit: 'differences' }
    await call.consent(`Remove ${problems.length} inconsistent objects from the metadata?`)
    await target.run({ type: 'drop_inconsistent_metadata', args: {} })
    for (const problem of problems) call.changed(`removed ${problem}`)
    return { text: `removed ${problems.length} objects\n` }
  },
}
