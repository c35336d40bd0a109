// One server per data directory: a lock file names the process that uses it.

import { readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../../core/errors/start-error.ts'
import { codeOf } from '../../core/errors/thrown.ts'
import { processIdentity } from './process-identity.ts'

/** A directory that belongs to this process until released, or until the process ends. */
export interface DirectoryLock {
  release(): void
}

/** Locks the directory; refused while another living process has it. */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const file = join(directory, 'server.lock')
  const own = processIdentity(process.pid) ?? String(process.pid)
  if (!create(file, own)) {
    const holder = await readHolder(file)
    if (holder !== null && isAlive(holder)) throw inUse(directory, holder)
    remove(file)
    if (!create(file, own)) throw inUse(directory, readText(file) ?? '')
    // Another server that judged the same holder dead may have removed our file instead: the last one to write has the
    // directory, and the others notice it now.
    await sleep(50)
    const winner = readText(file) ?? ''
    if (winner !== own) throw inUse(directory, winner)
  }
  return {
    release: () => {
      if (readText(file) === own) remove(file)
    },
  }
}

function create(file: string, content: string): boolean {
  try {
    writeFileSync(file, content, { flag: 'wx' })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** The process that has the directory; waits for one that is about to write its name. */
async function readHolder(file: string): Promise<string | null> {
  const text = readText(file)
  if (text !== '') return text
  await sleep(100)
  return readText(file)
}

const pidOf = (holder: string): number => Number.parseInt(holder, 10)

const isAlive = (holder: string): boolean => processIdentity(pidOf(holder)) === holder

function inUse(directory: string, holder: string): StartError {
  const who = holder === '' ? '' : ` (process ${pidOf(holder)})`
  return new StartError(
    `Directory ${directory} is in use by another server${who}. Stop that one, or give this one a directory of its own with --data-dir, or a database with --database-url`,
  )
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

function remove(file: string): void {
  try {
    unlinkSync(file)
  } catch {
    // Already gone.
  }
}
