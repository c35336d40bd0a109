// Clients that go away before they have their answer.

import type { FastifyReply } from 'fastify'
import { TrellisError } from '../errors/errors.ts'

/** 499, as proxies log it: nobody is there to be answered. */
const departed = () => new TrellisError(499, 'client-gone', 'the client closed the connection')

/** What gives the signal that aborts when the client goes away before it was answered; it costs nothing until it is asked. */
export function departureOf({ raw }: Pick<FastifyReply, 'raw'>): () => AbortSignal {
  let signal: AbortSignal | null = null
  return () => {
    if (signal) return signal
    const controller = new AbortController()
    signal = controller.signal
    const leave = () => {
      if (!raw.writableFinished) controller.abort(departed())
    }
    if (raw.destroyed) leave()
    else raw.once('close', leave)
    return signal
  }
}
