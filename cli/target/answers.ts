// Answers of the metadata API, and the failures that they mean.

import { isJsonObject, parseJson } from '../../core/json/json.ts'
import { Failure } from '../exits.ts'

/** An answer over HTTP; the body is JSON, or text of another server. */
export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** The body in a text: JSON, or the text of another server. */
export function bodyOf(text: string): unknown {
  try {
    return parseJson(text, 'precise')
  } catch {
    return text
  }
}

/** The caller of a request. */
export interface Caller {
  /** Whether the admin secret is sent; absent: yes. */
  readonly isAdmin?: boolean
  /** Headers beside those of the request itself, such as the role. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A way to send a request. */
export interface Transport {
  send(method: 'GET' | 'POST', path: string, body?: unknown, caller?: Caller): Promise<Answer>
  close(): Promise<void>
}

/** SQL states of a statement that another run of a command stands in the way of. */
const conflictStates: readonly string[] = ['55P03', '40001', '40P01']

/** The parts of a failure that the user's files decide. */
export interface InFiles {
  /** Lines before the text of the user, for the line of an error. */
  readonly linesBefore?: number | undefined
  /** The place of a value by its path in the request; null: it is in no file. */
  readonly placeOf?: (path: unknown) => string | null
}

/** The failure for an answer other than 200; `subject` names the operation or file. */
export function failureOf(
  { status, body }: Answer,
  subject: string,
  { linesBefore = 0, placeOf = () => null }: InFiles = {},
): Failure {
  const { error, code, path, internal } = (isJsonObject(body) ? body : {}) as Readonly<Record<string, unknown>>
  if (typeof error !== 'string') return new Failure('failed', `${subject}: the server answered with status ${status}`)
  if (code === 'access-denied' || code === 'invalid-headers') {
    return new Failure('failed', `the server refuses the admin secret: ${error}`)
  }
  const database = databaseError(internal)
  if (database !== null) {
    const line = typeof database['line'] === 'number' ? ` line ${database['line'] - linesBefore}` : ''
    const exit = conflictStates.includes(String(database['status_code'])) ? 'conflict' : 'failed'
    const state = exit === 'conflict' ? '' : ` (${database['status_code']})`
    return new Failure(exit, `${subject}${line}: ${database['message']}${state}`)
  }
  const exit = status === 409 || code === 'conflict' ? 'conflict' : 'failed'
  const problems = problemsOf(internal, placeOf)
  const inFile = placeOf(path)
  if (inFile !== null) return new Failure(exit, `${inFile}: ${error} (${code})`, problems)
  const place = typeof path === 'string' && path !== '$' ? ` at ${path}` : ''
  return new Failure(exit, `${subject}: ${error}${place} (${code})`, problems)
}

/** PostgreSQL's error in the details of an answer. */
function databaseError(internal: unknown): Readonly<Record<string, unknown>> | null {
  const error = isJsonObject(internal) ? internal['error'] : null
  return isJsonObject(error) && typeof error['message'] === 'string' ? error : null
}

/** Lines for the faults and inconsistent objects in a list. */
export const problemsOf = (list: unknown, placeOf: InFiles['placeOf'] = () => null): readonly string[] =>
  Array.isArray(list) ? list.filter(isJsonObject).map((each) => problemOf(each, placeOf)) : []

function problemOf(
  { path, error, type, name, definition, reason, key }: Readonly<Record<string, unknown>>,
  placeOf: NonNullable<InFiles['placeOf']>,
): string {
  if (typeof error === 'string') return `${placeOf(path) ?? path}: ${error}`
  const subject = typeof name === 'string' ? name : [type, shown(definition) ?? key].filter(Boolean).join(' ')
  return `${subject}: ${reason}`
}

const shown = (definition: unknown): string | undefined =>
  definition === undefined ? undefined : typeof definition === 'string' ? definition : JSON.stringify(definition)
