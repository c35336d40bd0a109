// Checks of the project: its files, its migrations, and whether it is a copy of the metadata.

import { existsSync } from 'node:fs'
import type { Call } from '../command.ts'
import { Failure } from '../exits.ts'
import { differencesOf } from '../metadata/compare.ts'
import { comparable } from '../metadata/diff.ts'
import { faultsOf, pendingOf, planOf } from '../migrations/plan.ts'
import type { Json } from '../project/parts.ts'
import { readMetadata } from '../project/read.ts'
import type { Check } from './check.ts'

/** The metadata of the project, or the reason why it cannot be read; null if the project has no metadata. */
function read({ project }: Call): Json | string | null {
  if (!existsSync(project.metadata)) return null
  try {
    return readMetadata(project)
  } catch (error) {
    if (error instanceof Failure) return error.message
    throw error
  }
}

export const projectChecks: readonly Check[] = [
  {
    name: 'project',
    finds: 'files that cannot be read',
    why: 'it cannot be deployed',
    remedy: 'correct the file',
    async run({ call }) {
      const found = read(call)
      return typeof found === 'string' ? [found] : []
    },
  },
  {
    name: 'migrations',
    finds: 'pending, edited and missing migrations',
    why: 'the database is not the one that the project describes',
    remedy: 'see trellis migrate status',
    async run({ call, target }) {
      const plan = await planOf(call.project, target)
      return [...pendingOf(plan).map(({ folder }) => `${folder} is pending`), ...faultsOf(plan)]
    },
  },
  {
    name: 'catalog',
    finds: 'metadata that the project has no copy of',
    why: 'a copy of the metadata outside of the database shows changes, and restores them',
    remedy: 'trellis metadata export into a folder under version control',
    async run({ call, document }) {
      const found = read(call)
      if (found === null) return ['the project has no copy of the metadata']
      if (typeof found === 'string') return []
      const { length } = differencesOf(comparable(document), comparable(found))
      return length === 0 ? [] : [`the metadata of the server differs from the project in ${length} places`]
    },
  },
]
