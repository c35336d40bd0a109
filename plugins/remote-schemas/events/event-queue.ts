// A queue of events with backpressure: its source is paused while too many events wait for the reader.

import { mostWaitingCharacters, mostWaitingEvents } from '../tuning.ts'

/** The source of a queue's events. */
export interface EventSource {
  pause(): void
  resume(): void
  /** The reader has stopped. */
  stop(): void
}

interface Waiting<T> {
  readonly event: T
  readonly size: number
}

export class EventQueue<T> implements AsyncIterable<T> {
  readonly #source: EventSource
  readonly #waiting: Waiting<T>[] = []
  #characters = 0
  #isPaused = false
  #end: { readonly error: unknown } | null = null
  #notify: () => void = () => {}

  constructor(source: EventSource) {
    this.#source = source
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  push(event: T, size: number): void {
    if (this.#end) return
    this.#waiting.push({ event, size })
    this.#characters += size
    if (!this.#isPaused && (this.#waiting.length >= mostWaitingEvents || this.#characters >= mostWaitingCharacters)) {
      this.#isPaused = true
      this.#source.pause()
    }
    this.#notify()
  }

  /** Ends the queue: waiting events are read first, then the error is thrown. Later calls have no effect. */
  end(error: unknown = null): void {
    this.#end ??= { error }
    this.#notify()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    try {
      for (;;) {
        const next = this.#waiting.shift()
        if (next) {
          this.#characters -= next.size
          if (this.#waiting.length === 0) this.#resume()
          yield next.event
        } else if (this.#end) {
          if (this.#end.error !== null) throw this.#end.error
          return
        } else {
          await new Promise<void>((resolve) => {
            this.#notify = resolve
          })
        }
      }
    } finally {
      this.#source.stop()
    }
  }

  #resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#source.resume()
  }
}
