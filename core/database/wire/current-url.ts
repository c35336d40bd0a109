// The URL of a database whose address is in a file. The file is read for each connection, so that a new password counts for
// the next one.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { codeOf } from '../../errors/thrown.ts'
import { dynamicFileOf } from '../../options/dynamic-file.ts'
import { databaseUrlRefusal } from '../options.ts'
import { longestUrlFile } from '../tuning.ts'
import { refusal, spelledOut } from './connection-url.ts'

/** The last URL of each file that could be used, by the path of the file. */
const lastRead = new Map<string, string>()

/**
 * The URL to connect with. While a file cannot be used, as in the middle of its replacement, its last URL counts. Throws a
 * {@link StartError} for a file that could never be used.
 */
export function currentUrl(given: string): string {
  const file = dynamicFileOf(given)
  if (file === null) return given
  try {
    const url = read(file)
    lastRead.set(file, url)
    return url
  } catch (error) {
    const last = lastRead.get(file)
    if (last === undefined) throw error
    return last
  }
}

/** The URL in a file; its text is never part of an error. */
function read(file: string): string {
  const shown = JSON.stringify(file)
  let text: string | null
  try {
    text = shortText(file)
  } catch (error) {
    throw refusal(`the file ${shown} cannot be read: ${codeOf(error) ?? 'unknown error'}`)
  }
  if (text === null) throw refusal(`the file ${shown} is not a regular file of at most ${longestUrlFile} bytes`)
  const reason = dynamicFileOf(text) === null ? databaseUrlRefusal(text) : 'Only expecting a URL'
  if (reason !== null) throw refusal(`the file ${shown}: ${reason}`)
  return spelledOut(text)
}

/** The text of a regular file; null for any other: reading a pipe or a device may never end. */
function shortText(file: string): string | null {
  // Opening a pipe waits for its writer otherwise.
  const opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!fstatSync(opened).isFile()) return null
    const bytes = Buffer.alloc(longestUrlFile + 1)
    let length = 0
    for (;;) {
      const count = readSync(opened, bytes, length, bytes.length - length, null)
      length += count
      if (length > longestUrlFile) return null
      if (count === 0) return bytes.toString('utf8', 0, length).trim()
    }
  } finally {
    closeSync(opened)
  }
}
