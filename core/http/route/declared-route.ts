// What a plugin says of an endpoint.

import type { IncomingHttpHeaders } from 'node:http'
import type { TSchema } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TrellisError } from '../../errors/errors.ts'
import type { Session } from '../../session/session.ts'

/** An HTTP route of a plugin. It is mounted only while its API is enabled. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  /** The API that opens it; absent: the plugin's own; null: always open. */
  readonly api?: string | null
  /** `admin`: refused to other roles; `session`: any authenticated role; `none`: not authenticated. */
  readonly auth: 'admin' | 'session' | 'none'
  /** Whether a request is served as with `auth: 'none'`, whatever the route asks of others; absent: none is. */
  isOpen?(request: RouteRequest): boolean
  /**
   * Answers with what it returns (JSON, or a string, Buffer or `Gzipped` as it is); throws TrellisErrors, which are answered flat
   * with their status. With `auth: 'none'` the session is null. `body` is the parsed JSON unless `raw`.
   */
  handle(call: RouteCall): unknown | Promise<unknown>
  /** Whether the body is no JSON: `call.body` is the unparsed Buffer, too. */
  readonly raw?: boolean
  /** How errors are answered, those of authentication included; absent: flat, with their status. */
  readonly errors?: ErrorEncoder
  /** Whether its requests leave no line in the log, as those of probes; absent: they do. */
  readonly unlogged?: boolean
  /** What descriptions of the API say of it. */
  readonly about?: RouteDescription
  /** The name under which the start shows its address, for people; absent: it does not. */
  readonly shownAs?: string
}

/** A route as readers of the API's description see it. */
export interface RouteDescription {
  /** One line. */
  readonly summary: string
  /** The shape of the body; absent: there is none. */
  readonly body?: TSchema
  /** The shape of the answer; absent: any. */
  readonly result?: TSchema
  /** Of the answer; absent: JSON. */
  readonly contentType?: string
  /** Answers of other statuses that are not the usual ones of errors, by status. */
  readonly failures?: Readonly<Record<number, FailureDescription>>
}

export interface FailureDescription {
  /** When it is answered, in a few words. */
  readonly summary: string
  /** The shape of the answer; absent: that of errors. */
  readonly result?: TSchema
  /** Of the answer; absent: JSON. */
  readonly contentType?: string
}

/** The answer to an error. `showInternal`: whether the caller may see its `internal`; `headers` are the request's. */
export type ErrorEncoder = (error: TrellisError, showInternal: boolean, headers: IncomingHttpHeaders) => ErrorAnswer

export interface ErrorAnswer {
  readonly status: number
  readonly body: unknown
  /** Absent: JSON. */
  readonly contentType?: string
}

/** What the URL of a request says: the parameters of the route's `url`, and those behind the question mark. */
export interface RouteUrl {
  Params: Readonly<Record<string, string>>
  Querystring: Readonly<Record<string, string | readonly string[]>>
}

export type RouteRequest = FastifyRequest<RouteUrl>

export interface RouteCall {
  readonly session: Session
  readonly body: unknown
  /** The body as it came, which is what a signature is of. */
  readonly bytes: Buffer
  readonly request: RouteRequest
  readonly reply: FastifyReply
}
