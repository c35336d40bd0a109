// The system user that PostgreSQL runs as if root starts it, and the capabilities that root needs for that.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'
import { StartError } from '../../core/errors/start-error.ts'

const run = promisify(execFile)

/** A user of the system. */
export interface User {
  readonly uid: number
  readonly gid: number
}

/** The user that owns new clusters made by root. */
export const systemUser = 'postgres'

/** Finds the system user `postgres`, and creates it if it is missing. */
export async function findSystemUser(): Promise<User> {
  return (await lookUpUser()) ?? (await createUser())
}

/** Throws if the user of this process has no name: `initdb` needs one, and containers may run under any number. */
export function requireKnownUser(): void {
  try {
    userInfo()
  } catch {
    throw new StartError(
      `The embedded PostgreSQL cannot be made by user ${process.geteuid?.()}, who has no name on this system: start as another user, or use --database-url`,
    )
  }
}

/** Bits in the kernel's capability set: changing owners, reading those files afterwards, and changing the user. */
const neededCapabilities = { CAP_CHOWN: 0, CAP_DAC_OVERRIDE: 1, CAP_SETGID: 6, CAP_SETUID: 7 } as const

/** Throws if root lacks a capability for running programs as another user, as in containers that drop them. */
export function requireCapabilities(): void {
  const effective = effectiveCapabilities()
  if (effective === null) return
  const missing = Object.entries(neededCapabilities).filter(([, bit]) => ((effective >> BigInt(bit)) & 1n) === 0n)
  if (missing.length === 0) return
  const names = missing.map(([name]) => name).join(', ')
  throw new StartError(
    `PostgreSQL cannot run as root, and root may not start it as another user here, for lack of ${names}: grant that, start as another user, or use --database-url`,
  )
}

/** The set as the kernel reports it; null if it reports none. */
function effectiveCapabilities(): bigint | null {
  try {
    const [, digits] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    return digits === undefined ? null : BigInt(`0x${digits}`)
  } catch {
    return null
  }
}

async function lookUpUser(): Promise<User | null> {
  try {
    const [uid, gid] = await Promise.all(['-u', '-g'].map((what) => run('id', [what, systemUser])))
    return { uid: Number(uid!.stdout), gid: Number(gid!.stdout) }
  } catch {
    return null
  }
}

async function createUser(): Promise<User> {
  await run('useradd', ['--system', '--user-group', '--no-create-home', systemUser]).catch(() => {})
  const user = await lookUpUser()
  if (user) return user
  throw new StartError(
    `PostgreSQL cannot run as root, and the system user ${systemUser} could not be created: start as another user, create that one, or use --database-url`,
  )
}
