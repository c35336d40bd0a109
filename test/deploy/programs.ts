// Programs that only some machines have.

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

/** The path of a program; null when it is not here. Those that Go, pip and Debian install elsewhere are found too. */
export function findProgram(name: string): string | null {
  const ofUser = ['go/bin', '.local/bin'].map((directory) => join(homedir(), directory))
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', ...ofUser]
  return directories.map((directory) => join(directory, name)).find(existsSync) ?? null
}
