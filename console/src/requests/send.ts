// The only module that sends requests. Each is logged, refused where nothing may be edited, and repeated once the person
// has signed in again.

import { serverUrl } from '../base/facts.ts'
import {
  askForCredentials,
  credentialHeaders,
  credentialKind,
  shownCredentialHeaders,
  withoutCredentials,
} from './credentials.ts'
import { asFailure, failureOf, RequestFailed } from './failure.ts'
import { admin, type Identity, identityHeaders } from './identity.ts'
import { logRequest } from './log.ts'
import { isOnline, readOnly } from './mode.ts'
import { wireHeaders } from './wire-headers.ts'

/** A request to the server. */
export interface ServerRequest {
  /** The name in the log: the operation, or the path. */
  readonly name: string
  /** Below the address of the server, without a slash at its beginning. */
  readonly path: string
  /** Absent: POST with a body, else GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Sent as JSON. */
  readonly body?: unknown
  /** Absent: the administrator. */
  readonly as?: Identity
  /** The id that the server takes for it; absent: the server gives one. */
  readonly id?: string
  /** Whether it may change something. */
  readonly isEdit?: boolean
  /** Whether the page repeats it by itself. */
  readonly isRepeated?: boolean
  readonly signal?: AbortSignal | undefined
}

/** An answer with a status below 400. */
export interface Answer<T> {
  readonly body: T
  readonly text: string
  readonly status: number
  readonly headers: Headers
  readonly millis: number
}

/** Characters of an answer that the log keeps. */
const loggedCharacters = 64 * 1024

const refusedHere = (): RequestFailed => {
  const message = readOnly.get() === 'server' ? 'the server is read-only for you' : 'the console is in read-only mode'
  return new RequestFailed({
    ...{ status: 0, code: 'read-only', message, path: null, internal: null, requestId: null },
    hint: readOnly.get() === 'choice' ? 'turn it off at the top of the page' : null,
  })
}

/** Sends a request. Throws `RequestFailed` for a status of 400 and above, and where there is no answer. */
export async function send<T>(request: ServerRequest): Promise<Answer<T>> {
  if (request.isEdit && readOnly.get() !== null) throw refusedHere()
  for (;;) {
    const { response, text, millis } = await exchange(request)
    const body = parsed(text)
    if (response.status === 401) {
      const failure = failureOf(401, body, response.headers.get('x-request-id'))
      // The first time the given credentials are not wrong.
      if (await askForCredentials(credentialKind.get() === 'none' ? null : failure.message)) continue
      throw failure
    }
    if (response.status >= 400) throw failureOf(response.status, body, response.headers.get('x-request-id'))
    const type = response.headers.get('content-type') ?? ''
    if (text === '' || type.startsWith('text/html')) throw notServer(response.status, text)
    return { body: body as T, text, status: response.status, headers: response.headers, millis }
  }
}

/** Reads a file from the server, which the browser keeps outside of the page's memory. Throws `RequestFailed`. */
export async function download({ name, path, as = admin }: Pick<ServerRequest, 'name' | 'path' | 'as'>): Promise<Blob> {
  const headers = identityHeaders(as)
  for (;;) {
    const end = logRequest({
      ...{ name, method: 'GET', path, isEdit: false, isRepeated: false, body: null },
      headers: { ...headers, ...shownCredentialHeaders() },
    })
    try {
      const response = await fetch(new URL(path, serverUrl), {
        ...{ headers: wireHeaders({ ...headers, ...credentialHeaders() }), cache: 'no-store', redirect: 'error' },
      })
      const requestId = response.headers.get('x-request-id')
      if (response.ok) {
        const file = await response.blob()
        end({ status: response.status, answer: `a file of ${file.size} bytes`, requestId })
        return file
      }
      const failure = failureOf(response.status, parsed(await response.text()), requestId)
      end({ status: response.status, answer: failure.message, requestId })
      if (response.status !== 401 || !(await askForCredentials(failure.message))) throw failure
    } catch (error) {
      if (!(error instanceof RequestFailed)) end({ status: 0, answer: String(error), requestId: null })
      throw error
    }
  }
}

/** A program between the page and the server answered instead of it. */
const notServer = (status: number, text: string): RequestFailed =>
  new RequestFailed({
    ...{ status, code: 'unexpected', path: null, internal: null, requestId: null },
    message: text === '' ? 'the answer is empty' : 'the answer is an HTML page',
    hint: 'it does not come from the server: a proxy before it may have answered',
  })

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** An event of a stream. */
export interface StreamEvent {
  readonly event: string
  readonly data: unknown
}

interface Followed extends Pick<ServerRequest, 'name' | 'path' | 'body' | 'as'> {
  readonly signal: AbortSignal
}

/** Follows a stream of server-sent events until it ends. A refused stream throws `RequestFailed`, and no dialog asks to sign in. */
export async function follow(
  { name, path, signal, body, as = admin }: Followed,
  onEvent: (event: StreamEvent) => void,
): Promise<void> {
  const sent = body === undefined ? null : JSON.stringify(body)
  const method = sent === null ? 'GET' : 'POST'
  const headers = {
    ...(sent !== null && { 'content-type': 'application/json' }),
    ...{ accept: 'text/event-stream', ...identityHeaders(as) },
  }
  const end = logRequest({
    ...{ name, method, path, isEdit: false, isRepeated: sent === null },
    headers: { ...headers, ...shownCredentialHeaders() },
    body: sent === null ? null : withoutCredentials(sent),
  })
  try {
    const response = await fetch(new URL(path, serverUrl), {
      ...{ method, headers: wireHeaders({ ...headers, ...credentialHeaders() }), body: sent, signal },
      ...{ cache: 'no-store', redirect: 'error' },
    })
    const requestId = response.headers.get('x-request-id')
    end({ status: response.status, answer: response.ok ? 'a stream of events' : null, requestId })
    if (!response.ok) throw failureOf(response.status, parsed(await response.text()), requestId)
    let rest = ''
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const blocks = (rest + part.value).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) readEvent(block, onEvent)
    }
  } catch (error) {
    if (!(error instanceof RequestFailed)) end({ status: 0, answer: String(error), requestId: null })
    throw error
  }
}

function readEvent(block: string, onEvent: (event: StreamEvent) => void): void {
  const lines = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line))
  const fieldOf = (field: string) => lines.find((line) => line?.[1] === field)?.[2]
  const [event, data] = [fieldOf('event'), fieldOf('data')]
  if (event !== undefined && data !== undefined) onEvent({ event, data: parsed(data) })
}

interface Exchange {
  readonly response: Response
  readonly text: string
  readonly millis: number
}

async function exchange({ name, path, body, as = admin, signal, ...request }: ServerRequest): Promise<Exchange> {
  const sent = body === undefined ? null : JSON.stringify(body)
  const method = request.method ?? (sent === null ? 'GET' : 'POST')
  const headers = {
    ...(sent !== null && { 'content-type': 'application/json' }),
    ...(request.id !== undefined && { 'x-request-id': request.id }),
    ...identityHeaders(as),
  }
  const end = logRequest({
    ...{ name, method, path, isEdit: request.isEdit === true, isRepeated: request.isRepeated === true },
    headers: { ...headers, ...shownCredentialHeaders() },
    body: sent === null ? null : withoutCredentials(sent),
  })
  const clock = performance.now()
  try {
    const response = await fetch(new URL(path, serverUrl), {
      ...{
        method,
        headers: wireHeaders({ ...headers, ...credentialHeaders() }),
        body: sent,
        signal: signal ?? null,
        cache: 'no-store',
        redirect: 'error',
      },
    })
    const text = await response.text()
    isOnline.set(true)
    end({
      status: response.status,
      answer: withoutCredentials(text.slice(0, loggedCharacters)),
      requestId: response.headers.get('x-request-id'),
    })
    return { response, text, millis: performance.now() - clock }
  } catch (error) {
    const isAborted = signal?.aborted === true
    end({ status: 0, answer: isAborted ? 'cancelled' : String(error), requestId: null })
    if (isAborted || error instanceof RequestFailed) throw error
    isOnline.set(false)
    const { facts } = asFailure(error)
    throw new RequestFailed({ ...facts, code: 'offline', message: 'the server cannot be reached' })
  }
}
