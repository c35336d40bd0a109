// One request and its response through undici's dispatch interface. It needs no stream for a body that is read whole,
// and a single timer.

import type { Dispatcher } from 'undici'
import { onAbort } from '../concurrency/aborting.ts'
import { longestTimer } from '../concurrency/timers.ts'
import { codeOf, messageOf, tlsReasonOf } from '../errors/thrown.ts'
import { GatheredBytes } from '../http/body/gathered-bytes.ts'
import { asUtf8, codingsOf, refusalOf, Unpacker } from './answer/content-coding.ts'
import { isLostOnKeepAlive } from './connecting/keep-alive.ts'
import type { OutgoingRequest, OutgoingResponse } from './request.ts'
import { OutgoingError } from './request.ts'
import { defaultMaxResponseSize } from './tuning.ts'

/** The content and the target of a request. */
export interface ExchangeTarget {
  readonly origin: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** The limits of a request. */
type Limits = Pick<
  OutgoingRequest,
  'timeout' | 'maxResponseSize' | 'cutsResponse' | 'signal' | 'method' | 'isRepeatable'
>

/** The dispatchers that send requests. */
export interface Dispatchers {
  /** Keeps connections alive. */
  readonly usual: Dispatcher
  /** Opens a new connection per request, as long as each request sets `reset`. */
  readonly fresh: Dispatcher
}

/** Sends a request; rejects with an {@link OutgoingError}. */
export function exchange(
  { usual, fresh }: Dispatchers,
  { origin, path, headers }: ExchangeTarget,
  request: OutgoingRequest,
): Promise<OutgoingResponse> {
  return new Promise((resolve, reject) => {
    const { method, body } = request
    const options = { origin, path, method, headers, body: body ?? null }
    const resend = () => void fresh.dispatch({ ...options, reset: true }, handler)
    const handler = new Exchange(request, { resolve, reject, resend })
    if (!handler.isSettled) usual.dispatch(options, handler)
  })
}

interface Settling {
  resolve(response: OutgoingResponse): void
  reject(error: OutgoingError): void
  /** Sends the request again, on a new connection. Called at most once, before `resolve` or `reject`. */
  resend(): void
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: Limits
  readonly #settling: Settling
  readonly #timer: NodeJS.Timeout
  readonly #stopListening: (() => void) | null
  #controller: Dispatcher.DispatchController | null = null
  /** When the request was sent, by `performance.now()`. */
  #sentAt = Number.POSITIVE_INFINITY
  #isResent = false
  #isSettled = false
  /** The last status received; 0: none yet. */
  #status = 0
  #headers: OutgoingResponse['headers'] = {}
  readonly #body = new GatheredBytes()
  /** The content codings of the response; null: none. */
  #codings: readonly string[] | null = null
  #unpacker: Unpacker | null = null

  constructor(limits: Limits, settling: Settling) {
    this.#limits = limits
    this.#settling = settling
    const { timeout, signal } = limits
    this.#timer = setTimeout(
      () => {
        this.#giveUp(new OutgoingError('timeout', `no answer within ${timeout / 1000} s`))
      },
      Math.min(timeout, longestTimer),
    ).unref()
    this.#stopListening = signal ? onAbort(signal, () => this.#giveUp(failure(signal.reason))) : null
  }

  /** Whether the request is done or was given up. */
  get isSettled(): boolean {
    return this.#isSettled
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    this.#sentAt = performance.now()
    // The request was given up before a connection was open.
    if (this.#isSettled) controller.abort(new Error('the request was given up'))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: OutgoingResponse['headers']): void {
    this.#status = status
    if (this.#isSettled) return
    this.#headers = headers
    // A 204 has no body, even if a server sends one.
    if (status === 204) this.#answer(Buffer.alloc(0), false)
    else this.#codings = codingsOf(headers['content-encoding'])
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return
    const codings = this.#codings
    const refusal = codings && refusalOf(codings)
    // With `cutsResponse` the body's beginning is returned even if it cannot be decoded.
    if (!codings || (refusal && this.#limits.cutsResponse)) this.#take(chunk)
    else if (refusal) this.#giveUp(refusal)
    else this.#unpack(controller, chunk, codings)
  }

  onResponseEnd(): void {
    if (this.#isSettled) return
    if (this.#unpacker) this.#unpacker.end()
    else this.#answer(this.#body.whole(), false)
  }

  #unpack(controller: Dispatcher.DispatchController, chunk: Buffer, codings: readonly string[]): void {
    this.#unpacker ??= new Unpacker(codings, {
      data: (unpacked) => this.#take(unpacked),
      end: () => {
        if (!this.#isSettled) this.#answer(this.#body.whole(), false)
      },
      fail: (error) => {
        if (!this.#limits.cutsResponse) this.#giveUp(error)
        else if (!this.#isSettled) this.#cut(this.#body.whole())
      },
      drain: () => controller.resume(),
    })
    if (!this.#unpacker.write(chunk)) controller.pause()
  }

  /** Adds a decoded part of the body. */
  #take(chunk: Buffer): void {
    if (this.#isSettled) return
    const { maxResponseSize: most = defaultMaxResponseSize, cutsResponse } = this.#limits
    this.#body.add(chunk)
    if (this.#body.size <= most) return
    if (cutsResponse) this.#cut(this.#body.whole().subarray(0, most))
    else this.#giveUp(new OutgoingError('too-large', `the answer is longer than ${most} bytes`))
  }

  #cut(body: Buffer): void {
    this.#answer(body, true)
    this.#controller?.abort(new Error('the rest of the answer is not read'))
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#isSettled) return
    const { method, isRepeatable = method === 'GET' } = this.#limits
    if (!isRepeatable || this.#isResent || !isLostOnKeepAlive(error, this.#sentAt)) this.#fail(failure(error))
    else {
      this.#isResent = true
      this.#settling.resend()
    }
  }

  #answer(bytes: Buffer, isCut: boolean): void {
    const headers = this.#headers
    const body = isCut ? bytes : asUtf8(bytes, headers['content-type'])
    const response = { status: this.#status, headers, body, isCut }
    this.#settle().resolve(this.#isResent ? { ...response, isResent: true } : response)
  }

  #fail(error: OutgoingError): void {
    if (this.#isResent) error.isResent = true
    this.#settle().reject(error)
  }

  #giveUp(error: OutgoingError): void {
    if (this.#isSettled) return
    this.#fail(error)
    this.#controller?.abort(error)
  }

  #settle(): Settling {
    this.#isSettled = true
    this.#unpacker?.destroy()
    clearTimeout(this.#timer)
    this.#stopListening?.()
    return this.#settling
  }
}

/** Converts an error to an {@link OutgoingError}. */
export const failure = (error: unknown): OutgoingError =>
  error instanceof OutgoingError ? error : new OutgoingError('connection', describeError(error), error)

/**
 * Describes an error. If all addresses of a host fail, the error has no message of its own. TLS messages do not
 * mention TLS, so it is added.
 */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join(', ')
  const reason = tlsReasonOf(error)
  if (reason !== null) return `TLS: ${reason}`
  return messageOf(error) || (codeOf(error) ?? (error instanceof Error ? error.name : ''))
}
