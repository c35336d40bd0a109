// The URL of a database whose address is in a file. The file is read for each connection, so that a new password counts for
// the next one.

import { readFileSync } from 'node:fs'
import { codeOf } from '../../errors/thrown.ts'
import { dynamicFileOf } from '../../options/dynamic-file.ts'
import { databaseUrlRefusal } from '../options.ts'
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
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw refusal(`the file ${shown} cannot be read: ${codeOf(error) ?? 'unknown error'}`)
  }
  const reason = dynamicFileOf(text) === null ? databaseUrlRefusal(text) : 'Only expecting a URL'
  if (reason !== null) throw refusal(`the file ${shown}: ${reason}`)
  return spelledOut(text)
}
