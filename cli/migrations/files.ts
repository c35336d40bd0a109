// The migrations of a project, as folders of SQL.

import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../exits.ts'
import type { Project } from '../project/project.ts'
import { textOfFile } from '../text-file.ts'

/** A migration of the project. */
export interface Migration {
  /** The digits before its name, by which migrations are ordered. */
  readonly version: string
  readonly name: string
  readonly folder: string
  readonly up: string
  /** Null if nothing undoes it. */
  readonly down: string | null
  readonly checksum: string
  /** The migrations that it replaces, with their checksums; empty unless it was squashed. */
  readonly replaced: ReadonlyMap<string, string>
}

/** The folder of the migrations of the source; version 2 has no sources. */
export const migrationsFolder = ({ migrations, version, source }: Project): string =>
  version === 2 ? migrations : join(migrations, source)

const folderName = /^(\d{1,18})_(.+)$/

/** Reads all migrations in order; refuses folders that are not complete. */
export function readMigrations(project: Project): readonly Migration[] {
  const folder = migrationsFolder(project)
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'))
  const loose = entries.find((entry) => !entry.isDirectory() && /^\d+_.*\.(sql|yaml)$/.test(entry.name))
  if (loose) throw new Failure('failed', `${loose.name}: a migration is a folder with up.sql and down.sql`)
  const migrations = entries.filter((entry) => entry.isDirectory()).map(({ name }) => readMigration(folder, name))
  const sorted = migrations.sort((a, b) => compareVersions(a.version, b.version))
  const repeated = sorted.find(({ version }, at) => at > 0 && version === sorted[at - 1]!.version)
  if (repeated) throw new Failure('failed', `${repeated.folder}: another migration has version ${repeated.version}`)
  return sorted
}

/** Orders versions by their number. */
export const compareVersions = (a: string, b: string): number => {
  const difference = BigInt(a) - BigInt(b)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

function readMigration(parent: string, folder: string): Migration {
  const [, digits, name] = folderName.exec(folder) ?? []
  if (digits === undefined || name === undefined) {
    throw new Failure('failed', `${folder}: the name of a migration is VERSION_NAME, and VERSION is a number`)
  }
  const up = readSql(join(parent, folder, 'up.sql'), `${folder}/up.sql`)
  if (up === null) {
    const reason = existsSync(join(parent, folder, 'up.yaml'))
      ? 'up.yaml cannot run: write its SQL to up.sql, and its metadata to metadata/'
      : 'it has no up.sql'
    throw new Failure('failed', `${folder}: ${reason}`)
  }
  const down = readSql(join(parent, folder, 'down.sql'), `${folder}/down.sql`)
  const version = String(BigInt(digits))
  return { version, name, folder, up, down, checksum: checksumOf(up), replaced: replacedBy(up) }
}

/** The text of a file; null if it does not exist. */
const readSql = (path: string, name: string): string | null => (existsSync(path) ? textOfFile(path, name) : null)

/** The checksum of a text, whatever its line ends. */
export const checksumOf = (text: string): string =>
  createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')

const squashHead = /^-- squash of (.+?)\r?$/m

/** The first line of a squashed migration. */
export const squashLine = (migrations: readonly Migration[]): string =>
  `-- squash of ${migrations.map(({ version, checksum }) => `${version}:${checksum}`).join(' ')}\n`

function replacedBy(up: string): ReadonlyMap<string, string> {
  const list = up.startsWith('-- squash of ') ? (squashHead.exec(up)?.[1] ?? '') : ''
  return new Map([...list.matchAll(/(\d+):([0-9a-f]{64})/g)].map(([, version, sum]) => [version!, sum!]))
}

/** Whether a text begins with the comment `-- no transaction`. */
export function runsAlone(text: string): boolean {
  for (const line of text.split('\n')) {
    if (/^\s*--\s*no[ -]transaction\b/i.test(line)) return true
    if (!/^\s*(--.*)?$/.test(line)) return false
  }
  return false
}
