// Projects of their own below the tests: who uses Trellis need not install what they depend on.

import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Installs what the lock file of a directory says, unless that was done since it changed. */
export async function installProject(directory: string): Promise<void> {
  // Written by npm at the end of an installation.
  const installed = join(directory, 'node_modules', '.package-lock.json')
  const lockFile = join(directory, 'package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs > statSync(lockFile).mtimeMs) return
  await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: directory })
}
