// The branches that a command works on, and its flags.

import { resolve } from 'node:path'
import type { Call } from '../command.ts'
import type { Branches } from './databases.ts'

/** The flags of all commands for branches. */
export const branchFlags = {
  'data-dir': { value: 'DIR', description: 'the directory of the embedded PostgreSQL; .trellis when absent' },
}

/** Runs `work` on the branches of the database or directory that the flags name. */
export async function withBranches<T>({ flags, io, say }: Call, work: (branches: Branches) => Promise<T>): Promise<T> {
  const databaseUrl = flags['database-url']
  const branches =
    typeof databaseUrl === 'string'
      ? await (await import('./databases.ts')).branchesOf(databaseUrl)
      : (await import('./directories.ts')).branchesIn(resolve(io.cwd, String(flags['data-dir'] ?? '.trellis')))
  say(`on ${branches.label}`)
  return await work(branches).finally(() => branches.close())
}
