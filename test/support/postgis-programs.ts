// Finds an installed PostgreSQL with certain extensions. Run by itself, this prints the directory of the programs of a
// PostgreSQL with PostGIS, and fails when there is no such PostgreSQL.

import { execFileSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The extensions of a database for the tests of PostGIS, in the order of their creation. */
export const extensions = ['postgis', 'postgis_raster']

/** Directories of PostgreSQL's programs: those on the path, then the usual ones, the newest first. */
function programDirectories(): string[] {
  const usual = ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin', '/opt/homebrew/opt/postgresql@*/bin']
  const numbered = usual.flatMap((pattern) => globSync(pattern)).sort((a, b) => versionOf(b) - versionOf(a))
  return [...(process.env['PATH'] ?? '').split(delimiter), ...numbered]
}

const versionOf = (directory: string): number => Number(/\d+/.exec(directory)?.[0] ?? 0)

const said = (program: string, argument: string): string =>
  execFileSync(program, [argument], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

/** The directory of the programs; null when no PostgreSQL has the extensions. */
export function findPrograms(wanted: readonly string[] = extensions): string | null {
  for (const directory of programDirectories()) {
    const config = join(directory, 'pg_config')
    if (!existsSync(config)) continue
    try {
      const programs = said(config, '--bindir')
      const installed = join(said(config, '--sharedir'), 'extension')
      const hasPrograms = ['initdb', 'pg_ctl', 'postgres'].every((program) => existsSync(join(programs, program)))
      if (hasPrograms && wanted.every((name) => existsSync(join(installed, `${name}.control`)))) return programs
    } catch {
      // A pg_config that fails counts as absent.
    }
  }
  return null
}

if (import.meta.main) {
  const programs = findPrograms()
  if (programs) console.log(programs)
  else process.exitCode = 1
}
