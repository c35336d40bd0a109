// `trellis migrate squash`

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from '../command.ts'
import { Failure } from '../exits.ts'
import { compareVersions, type Migration, migrationsFolder, readMigrations, runsAlone, squashLine } from './files.ts'

/** The migrations from one version to another. */
function rangeOf(migrations: readonly Migration[], from: string, to: string | null): readonly Migration[] {
  for (const version of [from, to ?? from]) {
    if (!migrations.some((each) => each.version === version)) {
      throw new Failure('usage', `the project has no migration ${version}`)
    }
  }
  const isInside = ({ version }: Migration) =>
    compareVersions(version, from) >= 0 && (to === null || compareVersions(version, to) <= 0)
  return migrations.filter(isInside)
}

const joined = (parts: readonly (readonly [folder: string, text: string])[]): string =>
  parts.map(([folder, text]) => `-- ${folder}\n${text.trimEnd()}\n;\n`).join('\n')

/** The versions that the new migration stands for, also those of earlier squashes. */
function headOf(migrations: readonly Migration[]): string {
  const earlier = migrations.flatMap(({ replaced }) =>
    [...replaced].map(([version, checksum]) => `${version}:${checksum}`),
  )
  return `${squashLine(migrations).trimEnd()}${earlier.map((each) => ` ${each}`).join('')}\n`
}

export const command: Command = {
  details:
    'Joins migrations into one folder with the version of the last. Databases where all of them ran count it as applied; one where only some ran refuses it. The old folders are removed, so commit them first. Needs consent.',
  flags: {
    from: { value: 'VERSION', description: 'the first migration' },
    to: { value: 'VERSION', description: 'the last migration; the last of the project when absent' },
    name: { value: 'NAME', description: 'the name of the new migration; squashed when absent' },
  },
  async run(call) {
    const { from, to, name = 'squashed' } = call.flags
    if (typeof from !== 'string') throw new Failure('usage', 'migrate squash needs --from VERSION')
    const range = rangeOf(readMigrations(call.project), from, typeof to === 'string' ? to : null)
    if (range.length < 2) throw new Failure('failed', 'there is only one migration to join')
    const alone = range.find(({ up, down }) => runsAlone(up) || runsAlone(down ?? ''))
    if (alone) throw new Failure('failed', `${alone.folder}: it runs without a transaction, so it stays alone`)
    const folder = `${range.at(-1)!.version}_${String(name).replace(/\s+/g, '_')}`
    if (folder === range.at(-1)!.folder)
      throw new Failure('usage', `${folder} is the last of them: give another --name`)
    await call.consent(`Replace ${range.length} migrations by one?`)
    const parent = migrationsFolder(call.project)
    const temporary = join(parent, `.${folder}.new`)
    const downs = range.every(({ down }) => down !== null)
      ? joined(range.map(({ folder: each, down }) => [each, down!] as const).reverse())
      : ''
    try {
      mkdirSync(temporary, { recursive: true })
      const ups = joined(range.map(({ folder: each, up }) => [each, up] as const))
      writeFileSync(join(temporary, 'up.sql'), headOf(range) + ups)
      writeFileSync(join(temporary, 'down.sql'), downs)
    } catch (error) {
      rmSync(temporary, { recursive: true, force: true })
      throw error
    }
    renameSync(temporary, join(parent, folder))
    // The last goes last: until then two folders have its version, so after a kill every command refuses the half that
    // is done.
    for (const { folder: old } of range) rmSync(join(parent, old), { recursive: true })
    call.changed(folder)
    return { text: `${folder}\n`, data: { replaced: range.map(({ folder: each }) => each) } }
  },
}
