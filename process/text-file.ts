// Small text files written by people: options, secrets.

import { closeSync, openSync, readSync } from 'node:fs'
import { codeOf } from '../core/errors/thrown.ts'
import { largestTextFile } from './tuning.ts'

/** A file that exists but cannot be used; the message is the reason, without the file's name. */
export class TextFileError extends Error {
  override readonly name = 'TextFileError'
  /** The system's error code, if the system refused. */
  readonly code: string | null

  constructor(message: string, code: string | null = null) {
    super(message)
    this.code = code
  }
}

/** The text of a UTF-8 file, without byte order mark; null if the file does not exist. */
export function readTextFile(path: string): string | null {
  try {
    const file = openSync(path, 'r')
    try {
      return decoded(readBytes(file))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (error instanceof TextFileError) throw error
    const code = codeOf(error) ?? 'unknown error'
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new TextFileError(words[code] ?? code, code)
  }
}

const words: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
}

function readBytes(file: number): Buffer {
  const chunks: Buffer[] = []
  for (let size = 0; ; ) {
    const chunk = Buffer.alloc(65_536)
    const read = readSync(file, chunk)
    if (read === 0) return Buffer.concat(chunks)
    size += read
    if (size > largestTextFile) throw new TextFileError('it has more than 1 MiB')
    chunks.push(chunk.subarray(0, read))
  }
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new TextFileError('it is not UTF-8 text')
  }
}
