// HTTP requests as plugins see them.

import type { FastifyReply } from 'fastify'
import type { Around } from '../../around/around.ts'
import type { AdmissionHooks } from '../../auth/endable.ts'
import type { Route, RouteRequest } from './declared-route.ts'
import type { Exchange } from './exchange.ts'

/** A request at its route, from the end of its body until its answer is handed over. `run` never rejects. */
export interface RequestWork {
  readonly route: Route
  readonly request: RouteRequest
  readonly reply: FastifyReply
  /** Its session and its error, as soon as they are known. */
  readonly exchange: Exchange
}

/** Functions around HTTP requests and their admission; null where no plugin has one. */
export interface RequestHooks extends Pick<AdmissionHooks, 'admission'> {
  readonly request: Around<RequestWork> | null
}
