// How a plugin declares an endpoint.

import type { IncomingHttpHeaders } from 'node:http'
import type { TSchema } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TrellisError } from '../../errors/errors.ts'
import type { Session } from '../../session/session.ts'

/** An HTTP route of a plugin. It is mounted only while its API is enabled. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  /** The API that enables the route; absent: the plugin's own; null: always enabled. */
  readonly api?: string | null
  /** `admin`: only the role admin; `session`: any authenticated role; `none`: no authentication. */
  readonly auth: 'admin' | 'session' | 'none'
  /** Whether to serve this request as with `auth: 'none'`; absent: never. */
  isOpen?(request: RouteRequest): boolean
  /**
   * Returns the response: a string, Buffer or `Gzipped` is sent unchanged, other values as JSON. A thrown
   * `TrellisError` is answered flat, with its status. With `auth: 'none'` the session is null. `body` is parsed JSON
   * unless `raw` is set. A handler that has sent the response itself returns the number of its bytes for the log, or
   * nothing if it is not to be logged.
   */
  handle(call: RouteCall): unknown | Promise<unknown>
  /** Whether a session that may only read can call it although its method is not GET; absent: no. */
  readonly forReaders?: boolean
  /** Whether the body is not JSON. `call.body` is then the unparsed Buffer. */
  readonly raw?: boolean
  /** How errors are answered, including those of authentication; absent: flat, with their status. */
  readonly errors?: ErrorEncoder
  /** Whether to write no log line for its requests, such as those of probes; absent: false. */
  readonly unlogged?: boolean
  /** Documentation for descriptions of the API. */
  readonly about?: RouteDescription
  /** The label under which the startup message shows the URL; absent: not shown. */
  readonly shownAs?: string
}

/** The documentation of a route. */
export interface RouteDescription {
  /** One line. */
  readonly summary: string
  /** Headers that requests may have beside those of authentication, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>
  /** The schema of the body; absent: no body. */
  readonly body?: TSchema
  /** The schema of the response; absent: any. */
  readonly result?: TSchema
  /** The media type of the response; absent: JSON. */
  readonly contentType?: string
  /** The paths that the route stands for, if they depend on the metadata; they take its place. Absent: its own URL. */
  paths?(): DescribedPaths
  /** Responses with another status that differ from the usual errors, by status. */
  readonly failures?: Readonly<Record<number, FailureDescription>>
}

/** Paths in the form of OpenAPI 3.1: operations by path and method, and the components that they refer to. */
export interface DescribedPaths {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>
  readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export interface FailureDescription {
  /** When it occurs, in a few words. */
  readonly summary: string
  /** The schema of the response; absent: the schema of errors. */
  readonly result?: TSchema
  /** The media type of the response; absent: JSON. */
  readonly contentType?: string
}

/**
 * Encodes an error. `showInternal`: whether the caller may see its `internal`; `headers`: the headers of the request.
 */
export type ErrorEncoder = (error: TrellisError, showInternal: boolean, headers: IncomingHttpHeaders) => ErrorAnswer

export interface ErrorAnswer {
  readonly status: number
  readonly body: unknown
  /** Absent: JSON. */
  readonly contentType?: string
}

/** The parameters in a request's URL: path parameters and query parameters. */
export interface RouteUrl {
  Params: Readonly<Record<string, string>>
  Querystring: Readonly<Record<string, string | readonly string[]>>
}

/** The request, as Fastify has it. */
export type RouteRequest = FastifyRequest<RouteUrl>

/** A request to a route, after its body was read and its caller was authenticated. */
export interface RouteCall {
  readonly session: Session
  readonly body: unknown
  /** The unparsed body, for checking a signature. */
  readonly bytes: Buffer
  readonly request: RouteRequest
  readonly reply: FastifyReply
}
