// The folder of a project and its `config.yaml`.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Failure } from '../exits.ts'
import type { Flags, Io } from '../io.ts'
import { YamlFiles } from './yaml-files.ts'

/** A project: where its parts are, and its defaults. */
export interface Project {
  readonly directory: string
  readonly metadata: string
  readonly migrations: string
  readonly seeds: string
  /** Version 2 has one database without a name; 3 has sources. */
  readonly version: 2 | 3
  readonly endpoint: string | null
  readonly adminSecret: string | null
  readonly source: string
  readonly dialect: 'trellis' | 'hasura'
}

interface Opening {
  readonly io: Io
  readonly flags: Flags
}

/** Opens the project that `--project` names, or that of the current folder; its files need not be there. */
export function openProject({ io, flags }: Opening): Project {
  const directory = resolve(io.cwd, typeof flags['project'] === 'string' ? flags['project'] : '.')
  if (typeof flags['project'] === 'string' && !existsSync(directory)) {
    throw new Failure('usage', `${directory}: there is no such folder`)
  }
  const config = readConfig(directory)
  const text = (key: string): string | null => {
    const value = config[key]
    if (value === undefined || value === null || value === '') return null
    if (typeof value === 'string') return value
    throw new Failure('usage', `config.yaml: ${key} must be a text`)
  }
  const dialect = text('dialect') ?? 'trellis'
  if (dialect !== 'trellis' && dialect !== 'hasura') {
    throw new Failure('usage', 'config.yaml: dialect is trellis or hasura')
  }
  const metadata = resolve(directory, text('metadata_directory') ?? 'metadata')
  const source = typeof flags['source'] === 'string' ? flags['source'] : text('source')
  return {
    directory,
    metadata,
    migrations: resolve(directory, text('migrations_directory') ?? 'migrations'),
    seeds: resolve(directory, text('seeds_directory') ?? 'seeds'),
    version: versionOf(config['version'], metadata),
    endpoint: text('endpoint'),
    adminSecret: text('admin_secret'),
    source: source ?? 'default',
    dialect,
  }
}

function readConfig(directory: string): Readonly<Record<string, unknown>> {
  if (!existsSync(join(directory, 'config.yaml'))) return {}
  const value = new YamlFiles(directory).value('config.yaml')
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw new Failure('usage', 'config.yaml must be a mapping')
  return value as Readonly<Record<string, unknown>>
}

/** The version that the files show, since a config may be left out. */
function versionOf(given: unknown, metadata: string): 2 | 3 {
  if (existsSync(join(metadata, 'databases'))) return 3
  if (existsSync(join(metadata, 'tables.yaml'))) return 2
  if (given === undefined || given === null || given === 3) return 3
  if (given === 2) return 2
  throw new Failure('usage', 'config.yaml: version is 2 or 3')
}
