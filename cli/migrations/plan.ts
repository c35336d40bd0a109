// Each migration of the project compared with the records.

import { Failure } from '../exits.ts'
import type { Project } from '../project/project.ts'
import type { Target } from '../target/target.ts'
import { type Migration, readMigrations } from './files.ts'
import { type Applied, readApplied } from './state.ts'

/** `partly`: only some of the migrations that it replaces ran. */
export type MigrationState = 'applied' | 'pending' | 'edited' | 'partly'

/** A migration of the project with its state. */
export interface Planned {
  readonly migration: Migration
  readonly state: MigrationState
  readonly applied: Applied | null
}

/** The project compared with the records. */
export interface Plan {
  readonly items: readonly Planned[]
  /** Migrations that ran and are not in the project. */
  readonly missing: readonly Applied[]
  readonly applied: ReadonlyMap<string, Applied>
}

/** Compares the migrations of the project with those that ran. */
export async function planOf(project: Project, target: Target): Promise<Plan> {
  const migrations = readMigrations(project)
  const applied = await readApplied(target)
  const known = new Set(migrations.flatMap(({ version, replaced }) => [version, ...replaced.keys()]))
  return {
    items: migrations.map((migration) => plannedOf(migration, applied)),
    missing: [...applied.values()].filter(({ version }) => !known.has(version)),
    applied,
  }
}

function plannedOf(migration: Migration, applied: ReadonlyMap<string, Applied>): Planned {
  const own = applied.get(migration.version) ?? null
  if (own === null) {
    const isPartly = [...migration.replaced.keys()].some((version) => applied.has(version))
    return { migration, state: isPartly ? 'partly' : 'pending', applied: null }
  }
  const sums: readonly (string | null | undefined)[] = [null, migration.checksum, migration.replaced.get(own.version)]
  return { migration, state: sums.includes(own.checksum) ? 'applied' : 'edited', applied: own }
}

/** One line for each difference that needs a person. */
export const faultsOf = ({ items, missing }: Plan): readonly string[] => [
  ...items.flatMap(({ migration: { folder, version }, state }) => {
    if (state === 'edited') {
      return [
        `${folder} was edited after it ran: restore it, or accept it with trellis migrate mark ${version} applied`,
      ]
    }
    if (state !== 'partly') return []
    return [`${folder} joins migrations of which only some ran: apply the others from an earlier commit first`]
  }),
  ...missing.map(({ version, name }) => {
    const full = name === null ? version : `${version}_${name}`
    return `${full} ran and is not in the project: restore it, or forget it with trellis migrate mark ${version} pending`
  }),
]

/** Refuses to change anything while a migration was edited, or is half of a squash. */
export function refuseFaults(plan: Plan): void {
  const faults = faultsOf({ ...plan, missing: [] })
  if (faults.length > 0) throw new Failure('failed', faults[0]!, faults.slice(1))
}

/** The migrations to apply, in order. */
export const pendingOf = ({ items }: Plan): readonly Migration[] =>
  items.filter(({ state }) => state === 'pending').map(({ migration }) => migration)
