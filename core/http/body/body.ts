// Request bodies: bytes -> JSON.

import { isUtf8 } from 'node:buffer'
import { badRequest } from '../../errors/errors.ts'
import { messageOf } from '../../errors/thrown.ts'
import { type NumberMode, parseScanned } from '../../json/json.ts'
import { hasPlainNumbers, scanJson } from '../../json/json-scan.ts'

/** Deeper bodies than this are refused: nobody writes them, and whoever walks them recursively must end. */
const deepest = 1000

/** Parses a body; `invalid-json` when it is none. `mode` says which numbers are kept as their text. */
export function readJson(bytes: Buffer, mode: NumberMode = 'precise'): unknown {
  if (!isUtf8(bytes)) throw badRequest('invalid-json', 'the body is not UTF-8')
  const text = bytes.toString('utf8')
  try {
    // So it is with most bodies: short enough not to be deep, and without numbers that need care.
    if (text.length <= deepest && hasPlainNumbers(text)) return JSON.parse(text)
    const scan = scanJson(bytes)
    if (scan.depth <= deepest) return parseScanned(text, scan, mode)
  } catch (error) {
    throw badRequest('invalid-json', messageOf(error))
  }
  throw badRequest('invalid-json', `the body is nested more than ${deepest} levels deep`)
}
