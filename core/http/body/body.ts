// Request bodies: bytes -> JSON.

import { isUtf8 } from 'node:buffer'
import { inTurns } from '../../concurrency/stepwise.ts'
import { badRequest, TrellisError } from '../../errors/errors.ts'
import { messageOf } from '../../errors/thrown.ts'
import { type NumberMode, parseScanned } from '../../json/json.ts'
import { hasPlainNumbers, scanJson } from '../../json/json-scan.ts'
import { JsonLimitError, type JsonLimits, parseSteps } from '../../json/json-steps.ts'

/** Deeper bodies are refused: nobody writes them, and recursion over them must end. So are those whose values would fill the memory. */
const limits: JsonLimits = { depth: 1000, values: 2_000_000, members: 100_000 }

/** Longer bodies are parsed in turns. */
const longest = 262_144

/** Parses a body at once, however long it is; `invalid-json` when it is none. `mode` says which numbers are kept as their text. */
export function readJson(bytes: Buffer, mode: NumberMode = 'precise'): unknown {
  if (!isUtf8(bytes)) throw notUtf8()
  const text = bytes.toString('utf8')
  try {
    // So it is with most bodies: short enough not to be deep, and without numbers that need care.
    if (text.length <= limits.depth && hasPlainNumbers(text)) return JSON.parse(text)
    const scan = scanJson(bytes)
    if (scan.depth <= limits.depth) return parseScanned(text, scan, mode)
  } catch (error) {
    throw badRequest('invalid-json', messageOf(error))
  }
  throw tooMuch('depth')
}

/** As {@link readJson}, of a body of any length: others get their turn while a long one is parsed. A short one is there at once. */
export const readJsonInTurns = (bytes: Buffer, mode: NumberMode = 'precise'): unknown | Promise<unknown> =>
  bytes.length <= longest ? readJson(bytes, mode) : readLong(bytes, mode)

async function readLong(bytes: Buffer, mode: NumberMode): Promise<unknown> {
  if (!isUtf8(bytes)) throw notUtf8()
  try {
    return await inTurns(parseSteps(bytes, mode, limits))
  } catch (error) {
    if (error instanceof JsonLimitError) throw tooMuch(error.limit)
    throw badRequest('invalid-json', messageOf(error))
  }
}

const notUtf8 = () => badRequest('invalid-json', 'the body is not UTF-8')

function tooMuch(limit: keyof JsonLimits): TrellisError {
  const most = limits[limit]
  if (limit === 'depth') return badRequest('invalid-json', `the body is nested more than ${most} levels deep`)
  const what = limit === 'values' ? `more than ${most} JSON values` : `an object of more than ${most} members`
  return new TrellisError(413, 'bad-request', `the body holds ${what}`)
}
