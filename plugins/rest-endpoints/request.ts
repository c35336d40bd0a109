// A request of an endpoint: its path, and the variables in the path, the query string and the body.

import { type RouteCall, type RouteRequest, readJsonInTurns } from '../../sdk/http.ts'
import { badRequest, type Dialect, notFound, parseFailed, TrellisError } from '../../sdk/index.ts'
import { isJsonObject, jsonType } from '../../sdk/services.ts'
import type { ServedEndpoint, ServedEndpoints } from './metadata.ts'
import { pathVariables } from './paths.ts'
import type { RestMethod } from './schema.ts'
import { longestForm, longestShown } from './tuning.ts'

/** Where endpoints are served. */
export const restPath = '/api/rest/'

/** The decoded segments of a request's path below {@link restPath}. */
export function requestedPath(target: string): string[] {
  const start = target.indexOf(restPath) + restPath.length
  const end = target.slice(start).search(/[?#]/)
  const path = end < 0 ? target.slice(start) : target.slice(start, start + end)
  try {
    return path.split('/').map(decodeURIComponent)
  } catch {
    throw unknownEndpoint()
  }
}

const unknownEndpoint = () => notFound('Endpoint not found')

/** The endpoint of a path and method. */
export function endpointOf(
  { templates }: Pick<ServedEndpoints, 'templates'>,
  path: readonly string[],
  { method, reply }: { readonly method: string; readonly reply: RouteCall['reply'] },
): ServedEndpoint {
  const matching = templates.matching(path)
  const wanted = (method === 'HEAD' ? 'GET' : method) as RestMethod
  const found = matching.filter(({ endpoint }) => endpoint.methods.includes(wanted))
  if (found.length === 1) return found[0]!
  if (found.length > 1) throw new TrellisError(500, 'unexpected', 'Multiple endpoints match request')
  if (matching.length === 0) throw unknownEndpoint()
  const allowed = [...new Set(matching.flatMap(({ endpoint }) => endpoint.methods))].join(', ')
  reply.header('allow', allowed)
  throw new TrellisError(405, 'method-not-allowed', `Allowed methods: ${allowed}`)
}

type Variables = Record<string, unknown>

/** The variables of a request. The path takes precedence over the query string, and this over the body. */
export function requestVariables(
  { request, bytes }: Pick<RouteCall, 'request' | 'bytes'>,
  served: ServedEndpoint,
  { path, dialect }: { readonly path: readonly string[]; readonly dialect: Dialect },
): Variables | Promise<Variables> {
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD' && bytes.length > 0
  const inBody = hasBody ? bodyVariables(request, bytes, served, dialect) : newVariables()
  const combined = (variables: Variables): Variables => {
    for (const [name, given] of Object.entries(request.query)) variables[name] = readText(served, name, given)
    for (const [name, text] of pathVariables(served.segments, path)) variables[name] = readText(served, name, text)
    return variables
  }
  return inBody instanceof Promise ? inBody.then(combined) : combined(inBody)
}

const newVariables = (): Variables => Object.create(null)

function readerOf({ query }: ServedEndpoint, name: string) {
  const reader = query.variables.get(name)
  if (!reader) throw badRequest('bad-request', `Unexpected variable ${name.slice(0, longestShown)}`)
  return reader
}

const readText = (served: ServedEndpoint, name: string, given: string | readonly string[]): unknown =>
  readerOf(served, name).read(given)

function bodyVariables(
  { headers }: RouteRequest,
  bytes: Buffer,
  served: ServedEndpoint,
  dialect: Dialect,
): Variables | Promise<Variables> {
  const [type = ''] = (headers['content-type'] ?? '').toLowerCase().split(';', 1)
  const media = type.trim()
  if (media === 'application/x-www-form-urlencoded') return formVariables(bytes, served)
  const isJson = media === 'application/json' || media.endsWith('+json')
  if (!isJson && dialect.graphqlOverHttp) throw unknownMedia()
  const read = readJsonInTurns(bytes, 'lossless')
  return read instanceof Promise ? read.then((body) => jsonVariables(body, served)) : jsonVariables(read, served)
}

const unknownMedia = () =>
  new TrellisError(
    415,
    'invalid-headers',
    'the Content-Type of a body has to be application/json or application/x-www-form-urlencoded',
  )

function jsonVariables(body: unknown, served: ServedEndpoint): Variables {
  if (!isJsonObject(body)) {
    throw parseFailed(`parsing Object failed, expected Object, but encountered ${jsonType(body)}`)
  }
  const variables = newVariables()
  for (const [name, value] of Object.entries(body)) variables[readerOf(served, name).name] = value
  return variables
}

function formVariables(bytes: Buffer, served: ServedEndpoint): Variables {
  if (bytes.length > longestForm) throw new TrellisError(413, 'bad-request', 'the form is too long; send JSON instead')
  const form = new URLSearchParams(bytes.toString('utf8'))
  const variables = newVariables()
  for (const name of new Set(form.keys())) {
    const given = form.getAll(name)
    variables[name] = readText(served, name, given.length === 1 ? given[0]! : given)
  }
  return variables
}
