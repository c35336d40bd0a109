// npm packages cannot hold links, so an install script makes those between the embedded PostgreSQL's libraries. Where
// scripts do not run (`npm install --ignore-scripts`, and package managers that ask first), the start makes them.

import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { StartError } from '../../core/errors/start-error.ts'
import { codeOf } from '../../core/errors/thrown.ts'

/** A link of the package: `target` is created and points to `source`. */
interface Link {
  readonly source: string
  readonly target: string
}

function linksOf(directory: string): readonly Link[] {
  const file = join(directory, 'native/pg-symlinks.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Link[]) : []
}

/** Creates the missing links in the directory of the package of that name. */
export function linkLibraries(directory: string, name: string): void {
  for (const { source, target } of linksOf(directory)) {
    const path = join(directory, target)
    if (existsSync(path)) continue
    try {
      symlinkSync(relative(dirname(target), source), path)
    } catch (error) {
      const code = codeOf(error)
      // Another server that is starting.
      if (code === 'EEXIST') continue
      throw new StartError(
        `The embedded PostgreSQL was installed without scripts, and ${dirname(path)} cannot be written (${code}): run npm rebuild ${name} as the user who installed it, or use a PostgreSQL of your own with --database-url`,
      )
    }
  }
}
