// The clients are a project of their own: who uses Trellis need not install them.

import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const directory = import.meta.dirname
const lockFile = join(directory, 'package-lock.json')
/** Written by npm at the end of an installation. */
const installed = join(directory, 'node_modules', '.package-lock.json')

/** Installs what the lock file says, unless that was done since it changed. */
export async function installClients(): Promise<void> {
  if (existsSync(installed) && statSync(installed).mtimeMs > statSync(lockFile).mtimeMs) return
  await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: directory })
}
