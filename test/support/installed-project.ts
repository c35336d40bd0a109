// Separate projects below the tests, so that users of Trellis need not install their dependencies.

import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Installs the lock file of a directory, unless that was done since it changed. */
export async function installProject(directory: string): Promise<void> {
  // npm writes this file at the end of an installation.
  const installed = join(directory, 'node_modules', '.package-lock.json')
  const lockFile = join(directory, 'package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs > statSync(lockFile).mtimeMs) return
  await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: directory })
}
