// What goes wrong with files of the data directory, told as what it is to whoever chose the directory.

import { StartError } from '../../core/engine/start-error.ts'
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
