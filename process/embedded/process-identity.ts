// Identifies a process beyond its id: ids are reused, also after a restart of the machine or the container.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A text that no other process with this id shares; null if there is no such process, or it has ended. */
export function processIdentity(pid: number): string | null {
  if (process.platform === 'linux') return linuxIdentity(pid)
  const started = ps(pid, 'lstart=')
  return started === null ? null : `${pid} ${started}`
}

/** The command line of a process; null if there is no such process. */
export function processCommand(pid: number): string | null {
  if (process.platform !== 'linux') return ps(pid, 'command=')
  return readText(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ').trim() ?? null
}

function linuxIdentity(pid: number): string | null {
  // The second field, the name, may contain spaces and parentheses; state and start time are the 3rd and 22nd.
  const fields = readText(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ')
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return null
  return `${pid} ${fields[19]}`
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function ps(pid: number, column: string): string | null {
  try {
    return execFileSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8' }).trim() || null
  } catch {
    return null
  }
}
