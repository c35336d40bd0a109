// Files of text.

import { readFileSync } from 'node:fs'
import { codeOf } from '../core/errors/thrown.ts'
import { Failure } from './exits.ts'

/** The bytes of a file; `shown` names it in errors. */
export function bytesOfFile(path: string, shown = path): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    // Node names the path of every other error.
    if (codeOf(error) === 'EISDIR') throw new Failure('failed', `${shown}: it is a directory`)
    throw error
  }
}

/** The text of a file; refuses bytes of another encoding, which would be stored as other characters. */
export function textOfFile(path: string, shown = path): string {
  const bytes = bytesOfFile(path, shown)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Failure('failed', `${shown}: it is not UTF-8 text`)
  }
}
