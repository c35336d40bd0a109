// One request and its answer, read whole. It hears of the answer from the connection itself: streams and signals in between
// would cost more than everything else about a short answer.

import type { Dispatcher } from 'undici'
import { OutgoingError } from './outgoing-error.ts'
import type { OutgoingRequest, OutgoingResponse } from './request.ts'

const mebibyte = 2 ** 20
const defaultMaxResponseSize = 64 * mebibyte

/** The longest time that a timer of Node can wait. */
export const longestTimer = 2 ** 31 - 1

/** The answer to a request that a dispatcher is given. */
export function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  request: OutgoingRequest,
): Promise<OutgoingResponse> {
  return new Promise((resolve, reject) => {
    const handler = new Exchange(request, { resolve, reject })
    dispatcher.dispatch(options, handler)
  })
}

interface Outcome {
  resolve(response: OutgoingResponse): void
  reject(error: unknown): void
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: OutgoingRequest
  readonly #outcome: Outcome
  readonly #timer: NodeJS.Timeout
  readonly #giveUp = () => this.#end(this.#request.signal?.reason ?? new Error('the request was given up'))
  #controller: Dispatcher.DispatchController | null = null
  #status = 0
  #headers: OutgoingResponse['headers'] = {}
  readonly #chunks: Buffer[] = []
  #size = 0
  #isOver = false

  constructor(request: OutgoingRequest, outcome: Outcome) {
    this.#request = request
    this.#outcome = outcome
    const { timeout, signal } = request
    const late = () => this.#end(new OutgoingError('timeout', `no answer within ${timeout / 1000} s`))
    this.#timer = setTimeout(late, Math.min(timeout, longestTimer))
    if (signal?.aborted) this.#giveUp()
    else signal?.addEventListener('abort', this.#giveUp, { once: true })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(new Error('nobody waits for the answer'))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: OutgoingResponse['headers']): void {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return
    const { maxResponseSize = defaultMaxResponseSize, cutsResponse = false } = this.#request
    this.#size += chunk.length
    this.#chunks.push(chunk)
    if (this.#size <= maxResponseSize) return
    const error = new OutgoingError('too-large', `the answer is longer than ${maxResponseSize} bytes`)
    if (cutsResponse) this.#answer(Buffer.concat(this.#chunks).subarray(0, maxResponseSize), true)
    this.#end(error)
    this.#controller?.abort(error)
  }

  onResponseEnd(): void {
    if (!this.#isOver) this.#answer(this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks), false)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(error)
  }

  #answer(body: Buffer, isCut: boolean): void {
    this.#settle()
    this.#outcome.resolve({ status: this.#status, headers: this.#headers, body, isCut })
  }

  #end(error: Error): void {
    if (this.#isOver) return
    this.#settle()
    this.#outcome.reject(error)
    this.#controller?.abort(error)
  }

  #settle(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#request.signal?.removeEventListener('abort', this.#giveUp)
  }
}
