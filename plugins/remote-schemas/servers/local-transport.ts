// Requests to a schema of this process. It may fail, hang, or answer anything: only its own requests fail.

import { type DocumentNode, type ExecutionResult, GraphQLError, Kind, OperationTypeNode, parse } from 'graphql'
import { LRUCache } from 'lru-cache'
import { graphqlError, internalError, TrellisError } from '../../../sdk/index.ts'
import {
  isJsonObject,
  isRawNumber,
  longestTimer,
  parseJson,
  parseScanned,
  scanJson,
  unlessAborted,
} from '../../../sdk/services.ts'
import { answerOf } from '../ask/answer.ts'
import { largestLocalAnswer, mostParsedCharacters, mostParsedDocuments } from '../tuning.ts'
import type { LocalProgram } from './local.ts'
import type { RemoteEvent, RemoteReply, RemoteRequest, RemoteTransport } from './transport.ts'

/** A schema of this process as a server. */
export interface LocalServer {
  /** The name of the remote schema. */
  readonly name: string
  readonly program: LocalProgram
  /** Milliseconds until an answer must be complete, or a subscription have begun. */
  readonly timeout: number
  /** A text that differs for servers that may answer differently. */
  readonly origin: string
}

/** The transport to a schema of this process. */
export function localTransport(server: LocalServer): RemoteTransport {
  const { program } = server
  return {
    origin: server.origin,
    async send(request) {
      const { result } = await run(request, server)
      if (!isIterable(result)) return new LocalReply(result, program)
      void closed(result[Symbol.asyncIterator]())
      throw internalError('the schema answered with a stream')
    },
    async begin(request) {
      const { result, signal } = await run(request, server)
      return isIterable(result) ? eventsOf(result, signal, program) : only(eventOf(result, program))
    },
  }
}

type Result = ExecutionResult | AsyncIterable<ExecutionResult>

/** Begins an operation, and waits for its result; `signal` outlasts the timeout, for its events. */
async function run(
  { body, call }: RemoteRequest,
  server: LocalServer,
): Promise<{ result: Result; signal: AbortSignal }> {
  const { program, timeout } = server
  const { query, variables, operationName } = readBody(body)
  const { document, operationType } = parsedBy(program, query)
  const limit = new AbortController()
  const signal = call.signal ? AbortSignal.any([limit.signal, call.signal]) : limit.signal
  const running = program.execute({
    ...{ document, operationType, variables, signal, rootValue: program.rootValue },
    ...(operationName !== undefined && { operationName }),
    context: program.context({ session: call.session, headers: call.headers, signal }),
  })
  if (!isPromise(running)) return { result: running, signal }
  const timer = setTimeout(() => limit.abort(late(server)), Math.min(timeout, longestTimer))
  const working = Promise.resolve(running)
  try {
    return { result: await unlessAborted(signal, working), signal }
  } catch (error) {
    // A subscription that begins after its reader has gone would never be ended.
    void ended(working)
    throw error
  } finally {
    clearTimeout(timer)
  }
}

async function ended(working: Promise<Result>): Promise<void> {
  try {
    const result = await working
    if (isIterable(result)) await closed(result[Symbol.asyncIterator]())
  } catch {
    // Its reader is gone.
  }
}

function late({ name, timeout }: LocalServer): unknown {
  const internal = { remote_schema: name, message: `no answer within ${timeout / 1000} s` }
  return internalError('ResponseTimeout', { internal })
}

interface Body {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName?: string
}

/** The request; integers that a double cannot hold are of type `bigint`. */
function readBody(body: string): Body {
  const scan = scanJson(Buffer.from(body))
  return (scan.mayRound ? withIntegers(parseScanned(body, scan, 'precise')) : JSON.parse(body)) as Body
}

function withIntegers(value: unknown): unknown {
  if (isRawNumber(value)) return /^-?\d+$/.test(value.rawJSON) ? BigInt(value.rawJSON) : Number(value.rawJSON)
  if (Array.isArray(value)) return value.map(withIntegers)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withIntegers(member)]))
}

interface Parsed {
  readonly document: DocumentNode
  readonly operationType: OperationTypeNode
}

/** By the schema, or the executor: programs that differ only in their contexts share them. */
const documents = new WeakMap<object, LRUCache<string, Parsed>>()

function parsedBy(program: LocalProgram, query: string): Parsed {
  const owner = program.schema ?? program.execute
  let known = documents.get(owner)
  if (!known) {
    known = new LRUCache({
      max: mostParsedDocuments,
      maxSize: mostParsedCharacters,
      sizeCalculation: (_, { length }) => length,
    })
    documents.set(owner, known)
  }
  const found = known.get(query)
  if (found) return found
  const document = parse(query, { noLocation: true })
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  const parsed = { document, operationType: operation?.operation ?? OperationTypeNode.QUERY }
  known.set(query, parsed)
  return parsed
}

class LocalReply implements RemoteReply {
  readonly cookies: readonly string[] = []
  readonly #result: ExecutionResult
  readonly #program: LocalProgram

  constructor(result: ExecutionResult, program: LocalProgram) {
    this.#result = result
    this.#program = program
  }

  whole(): string {
    const text = jsonOf(this.#result)
    if (this.#result.data !== undefined || Array.isArray(this.#result.errors)) return text
    throw internalError('"data" field not found in remote response')
  }

  answer() {
    return answerOf(eventOf(this.#result, this.#program), 200)
  }
}

/** A result as the JSON that another server would have sent. */
function eventOf(result: ExecutionResult, { isPlain }: LocalProgram): RemoteEvent {
  const isKept = isPlain && result.errors === undefined && isJsonObject(result)
  const event: unknown = isKept ? result : parseJson(jsonOf(result), 'lossless')
  if (isJsonObject(event)) return event
  throw internalError('the schema answered with no object')
}

function jsonOf(result: unknown): string {
  const text = printed(isJsonObject(result) ? withErrors(result) : result)
  if (text === undefined) throw internalError('the schema answered with no object')
  if (text.length > largestLocalAnswer) throw internalError('ResponseTooLarge')
  return text
}

/** graphql-js takes the errors of this engine for its own, which they are not. */
function withErrors(result: object): object {
  const { errors } = result as ExecutionResult
  if (!Array.isArray(errors)) return result
  return {
    ...result,
    errors: errors.map((error) => (error instanceof TrellisError ? graphqlError(error, false) : error)),
  }
}

/** The JSON of a value in which integers may be of type `bigint`. */
export function jsonText(value: object): string {
  return printed(value) ?? ''
}

function printed(result: unknown): string | undefined {
  try {
    return JSON.stringify(result)
  } catch {
    // A function for each value is slow, so it is used only where there are values of type `bigint`.
    return JSON.stringify(result, (_, value) => (typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value))
  }
}

async function* eventsOf(
  events: AsyncIterable<ExecutionResult>,
  signal: AbortSignal,
  program: LocalProgram,
): AsyncGenerator<RemoteEvent> {
  const iterator = events[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await unlessAborted(signal, iterator.next())
      if (done) return
      yield eventOf(value, program)
    }
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    yield eventOf({ errors: [error] }, program)
  } finally {
    // A source that hangs must not keep its reader.
    void closed(iterator)
  }
}

async function closed(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator.return?.()
  } catch {
    // Its reader is gone.
  }
}

async function* only<T>(item: T): AsyncGenerator<T> {
  yield item
}

const isPromise = (value: Result | PromiseLike<Result>): value is PromiseLike<Result> =>
  typeof value === 'object' && value !== null && 'then' in value

const isIterable = (result: Result): result is AsyncIterable<ExecutionResult> =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result
