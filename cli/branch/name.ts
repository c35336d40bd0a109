// The name of a branch, and the names of its database and folder.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Failure } from '../exits.ts'

/** Bytes of a name in PostgreSQL. */
const longestName = 63

/** The git branch of a folder. */
export function gitBranch(directory: string): string {
  const head = headOf(directory)
  const [, name] = /^ref: refs\/heads\/(.+)$/m.exec(head ?? '') ?? []
  if (name !== undefined) return name.trim()
  const reason = head === null ? 'this folder is not in a git repository' : 'no git branch is checked out'
  throw new Failure('usage', `${reason}: give the NAME of the branch`)
}

function headOf(directory: string): string | null {
  for (let folder = directory; ; folder = dirname(folder)) {
    const git = join(folder, '.git')
    if (existsSync(git)) {
      // A worktree has a file that names its folder.
      const place = statSync(git).isDirectory()
        ? git
        : readFileSync(git, 'utf8')
            .replace(/^gitdir: /, '')
            .trim()
      return readFileSync(join(resolve(folder, place), 'HEAD'), 'utf8')
    }
    if (dirname(folder) === folder) return null
  }
}

/** A branch as a part of names: letters, digits and underscores. Different branches have different parts. */
export function partOf(branch: string): string {
  const plain = branch
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  if (plain === branch && plain.length <= 30) return plain
  return `${plain.slice(0, 30) || 'branch'}_${createHash('sha256').update(branch).digest('hex').slice(0, 6)}`
}

/** The name of the database of a branch. */
export function databaseOf(database: string, branch: string): string {
  const part = partOf(branch)
  let head = database
  while (Buffer.byteLength(`${head}_${part}`) > longestName) head = head.slice(0, -1)
  return `${head}_${part}`
}
