// Reads the answer of a remote server: a GraphQL response, or an error that names its fault.

import { isUtf8 } from 'node:buffer'
import { internalError, type TrellisError } from '../../../sdk/index.ts'
import { own, type WireObject } from '../../../sdk/metadata.ts'
import { isDeeper, isJsonObject, maxLevels, type OutgoingResponse, parseJson } from '../../../sdk/services.ts'
import type { RemoteAnswer, RemoteError } from '../servers/transport.ts'
import { largestChecked } from '../tuning.ts'
import type { FieldAnswer } from './questions.ts'

/** Reads an answer, whatever its status. */
export function readAnswer({ status, body }: OutgoingResponse): RemoteAnswer {
  return answerOf(readObject(body, status), status)
}

/** Parses an answer or event, which must be a JSON object. Numbers keep their digits. */
export const readObject = (body: Buffer | string, status: number): WireObject =>
  parsed(status, () => parseJson(body, 'lossless'))

/** The response in a parsed answer; throws if it has neither `data` nor `errors`. */
export function answerOf(answer: WireObject, status: number): RemoteAnswer {
  const data = own(answer, 'data')
  const errors = own(answer, 'errors')
  if (!isAnswer(answer)) throw unusable('"data" field not found in remote response', status)
  return {
    data: isJsonObject(data) ? data : null,
    errors: Array.isArray(errors) ? errors.map(readError) : [],
  }
}

/** The answer to each field, by its alias. Errors without a path are given to the first field. */
export function fieldAnswers({ data, errors }: RemoteAnswer, aliases: readonly string[]): FieldAnswer[] {
  const answerTo = (alias: string) => (data && Object.hasOwn(data, alias) ? data[alias] : null)
  if (errors.length === 0) return aliases.map((alias) => ({ value: answerTo(alias), errors: none }))
  const general: RemoteError[] = []
  const located = new Map<string, RemoteError[]>()
  // Locations refer to the generated document, which the client never saw.
  for (const { locations: _, ...error } of errors) {
    const [alias, ...path] = error.path ?? []
    if (typeof alias !== 'string') {
      general.push(withoutPlace(error))
      continue
    }
    const own = located.get(alias)
    if (own) own.push({ ...error, path })
    else located.set(alias, [{ ...error, path }])
  }
  if (located.size > 0) general.push(...errorsElsewhere(located, aliases))
  return aliases.map((alias, i) => {
    const own = located.get(alias) ?? none
    const all = i === 0 && general.length > 0 ? [...general, ...own] : own
    return { value: answerTo(alias), errors: all, isDataLost: data === null }
  })
}

const none: readonly RemoteError[] = []

/** Errors at fields that the request did not contain, without their paths. */
function errorsElsewhere(
  located: ReadonlyMap<string, readonly RemoteError[]>,
  aliases: readonly string[],
): RemoteError[] {
  const asked = new Set(aliases)
  const elsewhere = [...located].flatMap(([alias, errors]) => (asked.has(alias) ? [] : errors))
  return elsewhere.map(withoutPlace)
}

const withoutPlace = ({ path: _, ...error }: RemoteError): RemoteError => error

/** Throws if clients could not read an answer that is passed through. */
export function checkWhole({ status, body }: OutgoingResponse): void {
  if (!isUtf8(body)) throw unusable('Remote server response is not valid JSON: it is not UTF-8', status)
  if (body.length <= largestChecked) {
    if (!isAnswer(parsed(status, () => JSON.parse(String(body))))) {
      throw unusable('"data" field not found in remote response', status)
    }
    return
  }
  // Parsing tens of megabytes would block all other requests.
  const [first, last] = [String(body.subarray(0, 100)).trimStart(), String(body.subarray(-100)).trimEnd()]
  if (!first.startsWith('{') || !last.endsWith('}')) {
    throw unusable('Remote server response is not valid JSON: it is not an object', status)
  }
}

function parsed(status: number, parse: () => unknown): WireObject {
  let answer: unknown
  try {
    answer = parse()
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/, ".*$/s, '') : String(error)
    throw unusable(`Remote server response is not valid JSON: ${reason}`, status)
  }
  if (isJsonObject(answer)) return answer
  throw unusable('Remote server response is not valid JSON: it is not an object', status)
}

const isAnswer = (answer: WireObject): boolean =>
  own(answer, 'data') !== undefined || Array.isArray(own(answer, 'errors'))

const unusable = (message: string, status: number): TrellisError => internalError(message, { internal: { status } })

/** The server's error; members of the wrong type are replaced or left out. */
function readError(error: unknown): RemoteError {
  if (!isJsonObject(error)) return { message: 'the remote server sent an error without a message' }
  const { message, path, ...others } = error
  // Members that are nested too deeply to be printed are left out.
  const rest = isDeeper(others, maxLevels) ? {} : others
  const isPath = Array.isArray(path) && path.every((key) => typeof key === 'string' || typeof key === 'number')
  const text = typeof message === 'string' ? message : 'the remote server sent an error without a message'
  return { ...rest, message: text, ...(isPath && { path }) }
}
