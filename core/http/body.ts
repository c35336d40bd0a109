// Request bodies: bytes -> JSON.

import { isUtf8 } from 'node:buffer'
import { badRequest } from '../errors.ts'
import { type NumberMode, nestingDepth, parseJson } from '../json.ts'

/** Deeper bodies than this are refused: nobody writes them, and whoever walks them recursively must end. */
const deepest = 1000

/** Whether a text has more than so many opening brackets: searching for them is faster than reading it all. */
function opensMore(text: string, most: number): boolean {
  let found = 0
  for (const bracket of ['{', '[']) {
    for (let i = text.indexOf(bracket); i >= 0 && found <= most; i = text.indexOf(bracket, i + 1)) found++
  }
  return found > most
}

/** Parses a body; `invalid-json` when it is none. `mode` says which numbers are kept as their text. */
export function readJson(bytes: Buffer, mode: NumberMode = 'precise'): unknown {
  if (!isUtf8(bytes)) throw badRequest('invalid-json', 'the body is not UTF-8')
  const text = bytes.toString('utf8')
  if (opensMore(text, deepest) && nestingDepth(text) > deepest) {
    throw badRequest('invalid-json', `the body is nested more than ${deepest} levels deep`)
  }
  try {
    return parseJson(text, mode)
  } catch (error) {
    throw badRequest('invalid-json', (error as Error).message)
  }
}
