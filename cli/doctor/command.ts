// `trellis doctor`

import { isJsonObject } from '../../core/json/json.ts'
import type { Command } from '../command.ts'
import { exportMetadata } from '../metadata/server.ts'
import { type Check, workersOf } from './check.ts'
import { databaseChecks } from './database-checks.ts'
import { projectChecks } from './project-checks.ts'
import { serverChecks } from './server-checks.ts'

/** The production checklist, in the order of docs/production.md. */
export const checklist: readonly Check[] = [...serverChecks, ...databaseChecks, ...projectChecks]

export const command: Command = {
  details:
    'Checks a server, its database and the project against the production checklist: secrets, ports, encryption, metadata, limits, versions, settings, privileges, indexes, clock, copies, files and migrations. Exit code 4 if anything is found.',
  async run(call) {
    const target = await call.target()
    const { document } = await exportMetadata(target)
    const { body } = await target.ask('/v1alpha1/config')
    const config = isJsonObject(body) ? body : {}
    const column = async (text: string) =>
      (await target.sql(text, { isReadOnly: true })).slice(1).map(([value = '']) => value)
    const results: (Pick<Check, 'name' | 'why' | 'remedy'> & { readonly found: readonly string[] })[] = []
    for (const { name, why, remedy, run } of checklist) {
      results.push({ name, why, remedy, found: await run({ call, target, document, config, column }) })
    }
    const workers = workersOf(config)
    const lines = results
      .map(({ name, found }) => `${name.padEnd(13)} ${found.length === 0 ? 'good' : found.length}\n`)
      .join('')
    const text = workers === 1 ? lines : `workers       ${workers}\n${lines}`
    const problems = results.flatMap(({ found, why, remedy }) => found.map((each) => `${each}: ${why}; ${remedy}`))
    return { text, problems, data: { workers, checks: results }, exit: problems.length > 0 ? 'differences' : 'done' }
  },
}
