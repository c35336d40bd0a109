// `trellis doctor`

import { existsSync } from 'node:fs'
import { isJsonObject } from '../../core/json/json.ts'
import type { Call, Command } from '../command.ts'
import { Failure } from '../exits.ts'
import { faultsOf, pendingOf, planOf } from '../migrations/plan.ts'
import { readMetadata } from '../project/read.ts'
import { problemsOf } from '../target/answers.ts'
import type { Target } from '../target/target.ts'

/** A check: its name, and its faults. */
type Check = readonly [name: string, run: (call: Call, target: Target) => Promise<readonly string[]>]

/** The first column of the rows of a statement. */
const columnOf = async (target: Target, text: string): Promise<readonly string[]> =>
  (await target.sql(text, { isReadOnly: true })).slice(1).map(([value = '']) => value)

/** Foreign keys without an index for the rows that refer: joins and deletes read the whole table. */
const keysWithoutIndex = `
  select format('%s has no index for its foreign key %s (%s)', c.conrelid::regclass, c.conname,
                (select string_agg(a.attname, ', ') from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any (c.conkey)))
    from pg_constraint c
   where c.contype = 'f'
     and (select nspname from pg_namespace where oid = c.connamespace) not in ('trellis', 'hdb_catalog', 'pg_catalog')
     and not exists (
       select from pg_index i
        where i.indrelid = c.conrelid and i.indisvalid
          and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey)
   order by 1`

const brokenIndexes = `
  select format('index %s is not valid: drop it and create it again', indexrelid::regclass)
    from pg_index where not indisvalid order by 1`

const checks: readonly Check[] = [
  [
    'admin secret',
    async (_, target) => {
      if (target.databaseUrl !== null) return []
      const isOpen = (await target.askWithoutSecret('/v1/query', { type: 'export_metadata', args: {} })).status === 200
      return isOpen ? ['the server has no admin secret: every caller is an administrator'] : []
    },
  ],
  [
    'metadata',
    async (_, target) => {
      const answer = await target.run({ type: 'get_inconsistent_metadata', args: {} })
      return problemsOf(isJsonObject(answer) ? answer['inconsistent_objects'] : answer)
    },
  ],
  [
    'project',
    async ({ project }) => {
      if (!existsSync(project.metadata)) return []
      try {
        readMetadata(project)
        return []
      } catch (error) {
        if (error instanceof Failure) return [error.message]
        throw error
      }
    },
  ],
  [
    'migrations',
    async ({ project }, target) => {
      const plan = await planOf(project, target)
      return [...pendingOf(plan).map(({ folder }) => `${folder} is pending`), ...faultsOf(plan)]
    },
  ],
  [
    'indexes',
    async (_, target) => [...(await columnOf(target, keysWithoutIndex)), ...(await columnOf(target, brokenIndexes))],
  ],
  [
    'clock',
    async (_, target) => {
      const [seconds = '0'] = await columnOf(target, 'select extract(epoch from clock_timestamp())::text')
      const apart = Math.abs(Date.now() / 1000 - Number(seconds))
      return apart > 5 ? [`the clocks of this machine and of the database differ by ${Math.round(apart)} seconds`] : []
    },
  ],
]

export const command: Command = {
  details:
    'Checks a server and its database: admin secret, inconsistent objects, the files of the project, migrations, indexes for foreign keys, and the clock. Exit code 4 if anything is found.',
  async run(call) {
    const target = await call.target()
    const results: { readonly name: string; readonly faults: readonly string[] }[] = []
    for (const [name, run] of checks) results.push({ name, faults: await run(call, target) })
    const text = results
      .map(({ name, faults }) => `${name.padEnd(13)} ${faults.length === 0 ? 'good' : faults.length}\n`)
      .join('')
    const problems = results.flatMap(({ faults }) => faults)
    return { text, problems, data: { checks: results }, exit: problems.length > 0 ? 'differences' : 'done' }
  },
}
