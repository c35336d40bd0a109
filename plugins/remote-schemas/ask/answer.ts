// What a remote server answered: the body of a GraphQL response, or an error that says what else it is.

import { isUtf8 } from 'node:buffer'
import { internalError, type TrellisError } from '../../../sdk/index.ts'
import { own, type WireObject } from '../../../sdk/metadata.ts'
import { isDeeper, isJsonObject, maxLevels, type OutgoingResponse, parseJson } from '../../../sdk/services.ts'
import type { FieldAnswer, RemoteError } from './questions.ts'

export interface RemoteAnswer {
  readonly data: WireObject | null
  readonly errors: readonly RemoteError[]
}

/** Reads an answer, whatever its status. */
export function readAnswer({ status, body }: OutgoingResponse): RemoteAnswer {
  return answerOf(readObject(body, status), status)
}

/** Reads the object that an answer, or an event of a stream, has to be, numbers kept as they were written. */
export const readObject = (body: Buffer | string, status: number): WireObject =>
  parsed(status, () => parseJson(body, 'lossless'))

/** An answer that was parsed. */
export function answerOf(answer: WireObject, status: number): RemoteAnswer {
  const data = own(answer, 'data')
  const errors = own(answer, 'errors')
  if (!isAnswer(answer)) throw unusable('"data" field not found in remote response', status)
  return {
    data: isJsonObject(data) ? data : null,
    errors: Array.isArray(errors) ? errors.map(readError) : [],
  }
}

/** What an answer says of each field that it was asked for by these names; what it says of none is the first one's. */
export function fieldAnswers({ data, errors }: RemoteAnswer, aliases: readonly string[]): FieldAnswer[] {
  const answerTo = (alias: string) => (data && Object.hasOwn(data, alias) ? data[alias] : null)
  if (errors.length === 0) return aliases.map((alias) => ({ value: answerTo(alias), errors: none }))
  const general: RemoteError[] = []
  const located = new Map<string, RemoteError[]>()
  // Where something is in the text that was sent says nothing to those who sent another one.
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

/** Errors at fields that nobody asked for: they have no place here. */
function errorsElsewhere(
  located: ReadonlyMap<string, readonly RemoteError[]>,
  aliases: readonly string[],
): RemoteError[] {
  const asked = new Set(aliases)
  const elsewhere = [...located].flatMap(([alias, errors]) => (asked.has(alias) ? [] : errors))
  return elsewhere.map(withoutPlace)
}

const withoutPlace = ({ path: _, ...error }: RemoteError): RemoteError => error

/** Bytes up to which an answer that is handed on is looked at as a whole. */
const lookedAt = 2 ** 20

/** Refuses an answer that clients could not read. */
export function checkWhole({ status, body }: OutgoingResponse): void {
  if (!isUtf8(body)) throw unusable('Remote server response is not valid JSON: it is not UTF-8', status)
  if (body.length <= lookedAt) {
    if (!isAnswer(parsed(status, () => JSON.parse(String(body))))) {
      throw unusable('"data" field not found in remote response', status)
    }
    return
  }
  // Reading tens of megabytes would hold up everybody else.
  const [first, last] = [String(body.subarray(0, 100)).trimStart(), String(body.subarray(-100)).trimEnd()]
  if (!first.startsWith('{') || !last.endsWith('}')) {
    throw unusable('Remote server response is not valid JSON: it is no object', status)
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
  throw unusable(`Remote server response is not valid JSON: it is no object`, status)
}

const isAnswer = (answer: WireObject): boolean =>
  own(answer, 'data') !== undefined || Array.isArray(own(answer, 'errors'))

const unusable = (message: string, status: number): TrellisError => internalError(message, { internal: { status } })

/** An error as the server gave it, as far as it is one. */
function readError(error: unknown): RemoteError {
  if (!isJsonObject(error)) return { message: 'the remote server gave an error without a message' }
  const { message, path, ...others } = error
  // What cannot be printed again is left out.
  const rest = isDeeper(others, maxLevels) ? {} : others
  const isPath = Array.isArray(path) && path.every((key) => typeof key === 'string' || typeof key === 'number')
  const text = typeof message === 'string' ? message : 'the remote server gave an error without a message'
  return { ...rest, message: text, ...(isPath && { path }) }
}
