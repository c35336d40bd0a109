// What goes wrong with files of the data directory, told as what it is to whoever chose the directory.

import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from '../../core/errors/start-error.ts'
import { codeOf } from '../../core/errors/thrown.ts'

const fileErrors = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC', 'ELOOP', 'ENAMETOOLONG', 'ENOENT']

/** Errors of files in the directory, told as one of the directory. */
export async function usingDirectory<T>(root: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = codeOf(error) ?? ''
    if (!fileErrors.includes(code)) throw error
    throw new StartError(`Directory ${root} cannot be written (${code}): choose another one with --data-dir`)
  }
}

/**
 * Makes a directory and those that it is in. Node's own `recursive` tries for ever where making one is answered with ENOENT, as below
 * `/proc`.
 */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another server that starts.
    if (codeOf(error) !== 'EEXIST') throw error
  }
}
