// `trellis deploy`

import { existsSync } from 'node:fs'
import type { Call, Command, Outcome } from '../command.ts'
import { Failure } from '../exits.ts'
import { applyMetadata, exportMetadata } from '../metadata/server.ts'
import { withLock } from '../migrations/lock.ts'
import { faultsOf, pendingOf, planOf, refuseFaults } from '../migrations/plan.ts'
import { reload, runUp } from '../migrations/run.ts'
import type { Json } from '../project/parts.ts'
import { placesIn } from '../project/places.ts'
import { readMetadata } from '../project/read.ts'
import type { Target } from '../target/target.ts'
import { runSeeds } from './seeds.ts'

/** The metadata of the project; null if the project has only migrations. */
function metadataOf({ project }: Call): Json | null {
  if (existsSync(project.metadata)) return readMetadata(project)
  if (existsSync(project.migrations)) return null
  throw new Failure('failed', `${project.directory}: there is neither metadata/ nor migrations/`)
}

export const command: Command = {
  details:
    'Applies pending migrations, each in a transaction with its record, then the metadata as a whole. The metadata is read by the server before the first migration runs, and is refused if an object does not fit the database afterwards.',
  flags: { seeds: { description: 'runs the seeds at the end' } },
  async run(call) {
    const document = metadataOf(call)
    const target = await call.target()
    return await withLock(target, () => deploy(call, target, document))
  },
}

async function deploy(call: Call, target: Target, document: Json | null): Promise<Outcome> {
  const plan = await planOf(call.project, target)
  refuseFaults(plan)
  const { version } = await exportMetadata(target)
  const place = placesIn(call.project.metadata)
  // Finds unknown keys and the like before anything runs; objects may need the migrations.
  if (document !== null && target.isTrellis)
    await applyMetadata(target, { document, place, isStrict: false, isDryRun: true })
  const pending = pendingOf(plan)
  await runUp(call, target, pending)
  let problems: readonly string[] = []
  if (document === null) problems = await reload(target)
  else {
    problems = await applyMetadata(target, { document, place, isStrict: true, version })
    call.changed('metadata')
    call.say('applied metadata')
  }
  if (call.flags['seeds'] === true) await runSeeds(call, target)
  return { text: `deployed: ${pending.length} migrations\n`, problems: [...faultsOf(plan), ...problems] }
}
