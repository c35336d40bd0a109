// Parses request bodies as JSON.

import { isUtf8 } from 'node:buffer'
import { inTurns } from '../../concurrency/stepwise.ts'
import { badRequest, TrellisError } from '../../errors/errors.ts'
import { messageOf } from '../../errors/thrown.ts'
import { type NumberMode, parseJson, parseScanned } from '../../json/json.ts'
import { hasPlainNumbers, scanJson } from '../../json/json-scan.ts'
import { JsonLimitError, type JsonLimits, parseSteps } from '../../json/json-steps.ts'
import { bodyLimits, longestAtOnce } from '../tuning.ts'

/**
 * Parses a body synchronously, whatever its length; throws `invalid-json` if it is malformed. `mode` decides which
 * numbers stay text.
 */
export function readJson(bytes: Buffer, mode: NumberMode = 'precise'): unknown {
  if (!isUtf8(bytes)) throw notUtf8()
  const text = bytes.toString('utf8')
  try {
    // Most bodies are like that: too short to be nested too deeply, and without numbers that need care.
    if (text.length <= bodyLimits.depth && hasPlainNumbers(text)) return JSON.parse(text)
    const scan = scanJson(bytes)
    if (scan.depth <= bodyLimits.depth) return parseScanned(text, scan, mode)
  } catch (error) {
    throw badRequest('invalid-json', messageOf(error))
  }
  throw tooMuch('depth')
}

/**
 * Like {@link readJson}, but a long body is parsed in turns with other work. The result of a short one is not a
 * promise.
 */
export const readJsonInTurns = (bytes: Buffer, mode: NumberMode = 'precise'): unknown | Promise<unknown> =>
  bytes.length <= longestAtOnce ? readJson(bytes, mode) : readLong(bytes, mode)

/**
 * Parses the JSON of another server without the limits of a body. A long text that is not nested too deeply is parsed
 * in turns with other work. The result of a short one is not a promise.
 */
export const parseJsonInTurns = (bytes: Buffer, mode: NumberMode = 'precise'): unknown | Promise<unknown> =>
  bytes.length <= longestAtOnce ? parseJson(bytes, mode) : parseLong(bytes, mode, { ...bodyLimits, ...unlimited })

const unlimited = { values: Number.POSITIVE_INFINITY, members: Number.POSITIVE_INFINITY }

async function readLong(bytes: Buffer, mode: NumberMode): Promise<unknown> {
  if (!isUtf8(bytes)) throw notUtf8()
  return await parseLong(bytes, mode, bodyLimits)
}

async function parseLong(bytes: Buffer, mode: NumberMode, limits: JsonLimits): Promise<unknown> {
  try {
    return await inTurns(parseSteps(bytes, mode, limits))
  } catch (error) {
    if (error instanceof JsonLimitError) throw tooMuch(error.limit)
    throw badRequest('invalid-json', messageOf(error))
  }
}

const notUtf8 = () => badRequest('invalid-json', 'the body is not UTF-8')

function tooMuch(limit: keyof JsonLimits): TrellisError {
  const most = bodyLimits[limit]
  if (limit === 'depth') return badRequest('invalid-json', `the body is nested more than ${most} levels deep`)
  const what = limit === 'values' ? `more than ${most} JSON values` : `an object of more than ${most} members`
  return new TrellisError(413, 'bad-request', `the body holds ${what}`)
}
