// Branches of the embedded PostgreSQL: copies of its data directory, in a folder inside of it.

import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { messageOf } from '../../core/errors/thrown.ts'
import { silentObserver } from '../../core/log/observe.ts'
import { lockDirectory } from '../../process/embedded/directory-lock.ts'
import { EmbeddedPostgres } from '../../process/embedded/embedded.ts'
import { Failure } from '../exits.ts'
import { ownConnections } from '../tuning.ts'
import { leaveToOriginal } from './belongings.ts'
import type { Branches } from './databases.ts'
import { partOf } from './name.ts'

/** The branches of a data directory; its server must not run while one is created. */
export function branchesIn(dataDir: string): Branches {
  const root = resolve(dataDir)
  const folder = join(root, 'branches')
  if (!existsSync(join(root, 'postgres'))) {
    throw new Failure('usage', `${root} has no embedded PostgreSQL: give --database-url, or its --data-dir`)
  }
  const placeOf = (branch: string) => join(folder, partOf(branch))
  return {
    label: root,
    async list() {
      const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.endsWith('.part')) : []
      return names.sort().map((name) => ({ branch: name, database: join(folder, name), size: '' }))
    },
    async create(branch, template) {
      if (template !== null) throw new Failure('usage', '--template is for --database-url')
      const place = placeOf(branch)
      if (existsSync(place)) throw new Failure('failed', `the branch ${branch} has a copy already: ${place}`)
      const lock = await lockDirectory(root).catch((error: unknown) => {
        throw new Failure('conflict', `stop the server for the moment of the copy: ${messageOf(error)}`)
      })
      const part = `${place}.part`
      try {
        if (existsSync(join(root, 'postgres/postmaster.pid'))) {
          throw new Failure('conflict', `the server of ${root} was killed: start and stop it once, then copy`)
        }
        rmSync(part, { recursive: true, force: true })
        mkdirSync(part, { recursive: true })
        copyTree(join(root, 'postgres'), join(part, 'postgres'))
        await settle(part)
        renameSync(part, place)
      } finally {
        lock.release()
        rmSync(part, { recursive: true, force: true })
      }
      return place
    },
    async drop(branch) {
      const place = placeOf(branch)
      if (!existsSync(place)) throw new Failure('failed', `the branch ${branch} has no copy in ${folder}`)
      const lock = await lockDirectory(place).catch((error: unknown) => {
        throw new Failure('conflict', `stop the server of the branch: ${messageOf(error)}`)
      })
      try {
        rmSync(place, { recursive: true })
      } finally {
        lock.release()
      }
      return place
    },
    close: async () => {},
  }
}

/** Copies a folder with owners and modes; a file system that can shares the blocks. */
function copyTree(from: string, to: string): void {
  const stat = lstatSync(from)
  if (stat.isSymbolicLink()) {
    symlinkSync(readlinkSync(from), to)
    return
  }
  // Sockets of a server that has stopped are of no use.
  if (!stat.isDirectory() && !stat.isFile()) return
  if (stat.isDirectory()) {
    mkdirSync(to)
    for (const name of readdirSync(from)) copyTree(join(from, name), join(to, name))
  } else copyFileSync(from, to, constants.COPYFILE_FICLONE)
  if (process.getuid?.() === 0) chownSync(to, stat.uid, stat.gid)
  chmodSync(to, stat.mode)
}

/** Starts the copy once, to leave the work of the original to the original. */
async function settle(directory: string): Promise<void> {
  const embedded = new EmbeddedPostgres({ directory, connections: ownConnections, observe: silentObserver })
  await embedded.start()
  try {
    const client = new pg.Client({ connectionString: embedded.url })
    await client.connect()
    await leaveToOriginal(client).finally(() => client.end())
  } finally {
    await embedded.stop()
  }
}
