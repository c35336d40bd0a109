// Recorded GraphQL requests: the log of a server, or a HAR file of a browser.

import { getOperationAST, type OperationDefinitionNode, parse, visit } from 'graphql'
import { isJsonObject, parseJson } from '../../core/json/json.ts'
import { Failure } from '../exits.ts'
import type { Json } from '../project/parts.ts'
import { bodyOf } from '../target/answers.ts'
import { type RecordedSession, sessionOf, sessionOfHeaders } from './recorded-session.ts'

/** A request as it was sent. */
export interface RecordedRequest {
  /** Such as `log:17`. */
  readonly place: string
  readonly path: string
  readonly session: RecordedSession
  readonly body: Json
  readonly kind: 'query' | 'mutation'
  /** The name of the operation, or its kind. */
  readonly name: string
  /** Whether the lists of the answer have an order. */
  readonly isOrdered: boolean
}

/** The requests of a file, each once, and the number of those left out, by reason. */
export interface Recording {
  readonly requests: readonly RecordedRequest[]
  readonly left: ReadonlyMap<string, number>
}

/** A request before its text is read. */
interface Sent {
  readonly place: string
  readonly path: string
  readonly session: RecordedSession
  /** Undefined if the recording lacks it. */
  readonly body: unknown
}

const graphqlPath = /\/(v1\/graphql|v1alpha1\/graphql|v1beta1\/relay)\/?$/

/** Reads a file; `name` stands in errors and places. */
export function readRecording(name: string, text: string): Recording {
  const collected = new Collected()
  for (const sent of text.trimStart().startsWith('{') && isHar(text)
    ? harRequests(name, text)
    : logRequests(name, text)) {
    const bodies = Array.isArray(sent.body) ? sent.body : [sent.body]
    for (const body of bodies) collected.add({ ...sent, body })
  }
  if (collected.isEmpty) {
    throw new Failure('usage', `${name}: it has no GraphQL request: give lines of the log as JSON, or a HAR file`)
  }
  return collected
}

class Collected implements Recording {
  readonly left = new Map<string, number>()
  readonly #requests = new Map<string, RecordedRequest>()

  get requests(): readonly RecordedRequest[] {
    return [...this.#requests.values()]
  }

  get isEmpty(): boolean {
    return this.#requests.size === 0 && this.left.size === 0
  }

  add(sent: Sent): void {
    const read = requestOf(sent)
    if (typeof read === 'string') {
      this.left.set(read, (this.left.get(read) ?? 0) + 1)
      return
    }
    const { path, session, body, kind, place } = read
    // A mutation has its effect each time.
    const key = JSON.stringify([path, session, body, kind === 'mutation' ? place : null])
    if (!this.#requests.has(key)) this.#requests.set(key, read)
  }
}

/** A request that can be replayed, or the reason why not. */
function requestOf({ place, path, session, body }: Sent): RecordedRequest | string {
  if (!isJsonObject(body) || typeof body['query'] !== 'string') return 'their text was not recorded'
  const { query, variables, operationName } = body
  const operation = operationOf(query, operationName)
  if (operation === null) return 'their text is no GraphQL'
  const { kind, isIntrospection, ...named } = operation
  if (kind === 'subscription') return 'they are subscriptions'
  if (isIntrospection) return 'they are introspections'
  const given = {
    query,
    ...(isJsonObject(variables) && { variables }),
    ...(typeof operationName === 'string' && { operationName }),
  }
  return { place, path, session, body: given, kind, ...named }
}

interface Operation extends Pick<RecordedRequest, 'name' | 'isOrdered'> {
  readonly kind: OperationDefinitionNode['operation']
  readonly isIntrospection: boolean
}

/** The operation that a request runs; null if the text has none. */
function operationOf(text: string, name: unknown): Operation | null {
  try {
    const document = parse(text, { noLocation: true })
    const node = getOperationAST(document, typeof name === 'string' && name !== '' ? name : undefined)
    if (!node) return null
    let isOrdered = false
    visit(document, {
      Argument: ({ name }) => {
        if (name.value === 'order_by') isOrdered = true
      },
    })
    const fields = node.selectionSet.selections
    const isIntrospection = fields.some((field) => field.kind === 'Field' && /^__(schema|type)$/.test(field.name.value))
    return { kind: node.operation, name: node.name?.value ?? node.operation, isOrdered, isIntrospection }
  } catch {
    return null
  }
}

/** The requests of log lines. The text of a request stands in its line, or in the `query-log` of the same id. */
function logRequests(name: string, text: string): Sent[] {
  const texts = new Map<string, Json>()
  const answered: { readonly line: number; readonly info: Json; readonly operation: Json }[] = []
  for (const [at, line] of text.split('\n').entries()) {
    const { type, detail } = entryOf(line)
    if (!isJsonObject(detail)) continue
    const { request_id: id, query, http_info: info, operation } = detail
    if (type === 'query-log' && typeof id === 'string' && isJsonObject(query)) texts.set(id, query)
    if (type === 'http-log' && isJsonObject(info) && isJsonObject(operation)) {
      answered.push({ line: at + 1, info, operation })
    }
  }
  return answered.flatMap(({ line, info, operation }) => {
    const path = String(info['url']).split('?')[0]!
    if (!graphqlPath.test(path)) return []
    const { user_vars: variables, query, request_id: id } = operation
    const own = isJsonObject(query) || Array.isArray(query) ? query : texts.get(String(id))
    return [{ place: `${name}:${line}`, path: pathIn(path), session: sessionOf(variables), body: own }]
  })
}

/** A line of the log. Collectors of logs write a text of their own in front. */
function entryOf(line: string): Json {
  const start = line.indexOf('{')
  if (start < 0) return {}
  try {
    const entry = parseJson(line.slice(start), 'precise')
    return isJsonObject(entry) ? entry : {}
  } catch {
    return {}
  }
}

const pathIn = (path: string): string => `/${graphqlPath.exec(path)![1]}`

function isHar(text: string): boolean {
  try {
    const document = parseJson(text, 'precise')
    return isJsonObject(document) && isJsonObject(document['log'])
  } catch {
    return false
  }
}

function harRequests(name: string, text: string): Sent[] {
  const { log } = parseJson(text, 'precise') as { readonly log: Json }
  const entries = Array.isArray(log['entries']) ? log['entries'] : []
  return entries.flatMap((entry: unknown, at) => {
    const request = isJsonObject(entry) && isJsonObject(entry['request']) ? entry['request'] : {}
    const url = URL.canParse(String(request['url'])) ? new URL(String(request['url'])) : null
    if (url === null || !graphqlPath.test(url.pathname) || request['method'] === 'OPTIONS') return []
    const data = isJsonObject(request['postData']) ? request['postData']['text'] : undefined
    const body = typeof data === 'string' ? bodyOf(data) : bodyOfUrl(url)
    const session = sessionOfHeaders(request['headers'])
    return [{ place: `${name}#${at + 1}`, path: pathIn(url.pathname), session, body }]
  })
}

function bodyOfUrl({ searchParams }: URL): Json {
  const { query, variables, operationName } = Object.fromEntries(searchParams) as Record<string, string | undefined>
  return { query, ...(variables && { variables: bodyOf(variables) }), ...(operationName && { operationName }) }
}
