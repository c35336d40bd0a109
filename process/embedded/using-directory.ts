// Errors of files in the data directory, worded for the person who chose the directory.

import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from '../../core/errors/start-error.ts'
import { codeOf } from '../../core/errors/thrown.ts'

const fileErrors = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC', 'ELOOP', 'ENAMETOOLONG', 'ENOENT']

/** Reports file errors in the directory as errors of the directory. */
export async function usingDirectory<T>(root: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = codeOf(error) ?? ''
    if (!fileErrors.includes(code)) throw error
    throw new StartError(`Directory ${root} cannot be written (${code}): choose another one with --data-dir`)
  }
}

/** Creates a directory and its parents. Node's `recursive` loops forever where mkdir fails with ENOENT, as below `/proc`. */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another server that is starting.
    if (codeOf(error) !== 'EEXIST') throw error
  }
}
