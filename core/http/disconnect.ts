// Detects clients that disconnect before they have their answer.

import type { FastifyReply } from 'fastify'
import { TrellisError } from '../errors/errors.ts'

/** 499, as proxies log it. The client cannot receive it. */
const disconnected = () => new TrellisError(499, 'client-gone', 'the client closed the connection')

/**
 * Returns a function that gives a signal, which aborts when the client disconnects before its answer was sent. The
 * signal is created at the first call, so an unused one costs nothing.
 */
export function disconnectSignal({ raw }: Pick<FastifyReply, 'raw'>): () => AbortSignal {
  let signal: AbortSignal | null = null
  return () => {
    if (signal) return signal
    const controller = new AbortController()
    signal = controller.signal
    const abort = () => {
      if (!raw.writableFinished) controller.abort(disconnected())
    }
    if (raw.destroyed) abort()
    else raw.once('close', abort)
    return signal
  }
}
