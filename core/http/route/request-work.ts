// HTTP requests as hooks of plugins see them.

import type { FastifyReply } from 'fastify'
import type { Around } from '../../around/around.ts'
import type { AdmissionHooks } from '../../auth/endable.ts'
import type { Route, RouteRequest } from './declared-route.ts'
import type { Exchange } from './exchange.ts'

/** A request at its route, after its body was read and until its response was passed to Node. `run` never rejects. */
export interface RequestWork {
  readonly route: Route
  readonly request: RouteRequest
  readonly reply: FastifyReply
  /** Holds the session and the error as soon as they are known. */
  readonly exchange: Exchange
}

/** Hooks around HTTP requests and around their admission; null if no plugin has one. */
export interface RequestHooks extends Pick<AdmissionHooks, 'admission'> {
  readonly request: Around<RequestWork> | null
}
