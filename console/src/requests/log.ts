// Every request of this page, for the drawer "Requests". Credentials are replaced before anything is kept.

import { serverUrl } from '../base/facts.ts'
import { kept } from '../base/kept.ts'
import { createStore, type Store } from '../base/store.ts'
import { tabKeys } from '../base/tab.ts'
import { type CodeForm, codeOf } from './code.ts'

/** A request with its answer. */
export interface LoggedRequest {
  readonly id: number
  /** The operation, or the path. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly isEdit: boolean
  /** Repeated by the page itself: the log keeps the last one. */
  readonly isRepeated: boolean
  readonly startedAt: number
  /** Null until there is an answer. */
  readonly status: number | null
  readonly millis: number | null
  readonly answer: string | null
  readonly requestId: string | null
}

/** Requests that are kept. */
const keptRequests = 200

/** The last requests, newest first. */
export const requestLog = createStore<readonly LoggedRequest[]>([])

let last = 0

/** Adds a request; returns the function that adds its answer. */
export function logRequest(
  request: Omit<LoggedRequest, 'id' | 'status' | 'millis' | 'answer' | 'requestId' | 'startedAt'>,
): (answer: Pick<LoggedRequest, 'status' | 'answer' | 'requestId'>) => void {
  last += 1
  const id = last
  const startedAt = Date.now()
  const clock = performance.now()
  const entry: LoggedRequest = { ...request, id, startedAt, status: null, millis: null, answer: null, requestId: null }
  const others = request.isRepeated
    ? requestLog.get().filter(({ isRepeated, name, status }) => !isRepeated || name !== request.name || status === null)
    : requestLog.get()
  requestLog.set([entry, ...others].slice(0, keptRequests))
  return (answer) => {
    const millis = performance.now() - clock
    requestLog.set(requestLog.get().map((each) => (each.id === id ? { ...each, ...answer, millis } : each)))
  }
}

const recordingKeys = tabKeys('recording')
/** Digits of the number of an edit, so that their keys are in order. */
const numberDigits = 8

const recordingKey = (index: number): string => recordingKeys + String(index).padStart(numberDigits, '0')

/** The first text says that recording began, the others are edits. */
function readRecording(): readonly unknown[] | null {
  const [begun, ...edits] = kept.keys(recordingKeys).toSorted()
  return begun === undefined ? null : edits.map((key) => JSON.parse(kept.get(key) ?? 'null'))
}

const recorded = createStore(readRecording())

/** The edits since recording began, reloads of the page included; null: nothing is recorded. */
export const recording: Pick<Store<readonly unknown[] | null>, 'get' | 'subscribe'> = recorded

/** Begins to record. */
export function startRecording(): void {
  kept.set(recordingKey(0), 'begun')
  recorded.set([])
}

/** Stops recording, and forgets the edits. */
export function stopRecording(): void {
  for (const key of kept.keys(recordingKeys)) kept.set(key, null)
  recorded.set(null)
}

/** Adds an edit to the recording. */
export function recordEdit(operation: unknown): void {
  const edits = recorded.get()
  if (edits === null) return
  kept.set(recordingKey(edits.length + 1), JSON.stringify(operation))
  recorded.set([...edits, operation])
}

/** A logged request as code of a form; null: it has none. */
export const loggedCode = (request: LoggedRequest, form: CodeForm): string | null =>
  codeOf({ ...request, server: serverUrl.href }, form)
