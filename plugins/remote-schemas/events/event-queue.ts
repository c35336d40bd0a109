// Events that wait for whoever reads them. When there are many, their source is asked to pause until they were read.

/** What a source can be asked. */
export interface EventSource {
  pause(): void
  resume(): void
  /** Nobody reads any more. */
  stop(): void
}

/** So many events, or characters in them, wait before the source is asked to pause. */
const mostWaiting = 64
const mostCharacters = 2 ** 20

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
  #wake: () => void = () => {}

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
    if (!this.#isPaused && (this.#waiting.length >= mostWaiting || this.#characters >= mostCharacters)) {
      this.#isPaused = true
      this.#source.pause()
    }
    this.#wake()
  }

  /** There are no more; what waits is read before the error is thrown. The first end counts. */
  end(error: unknown = null): void {
    this.#end ??= { error }
    this.#wake()
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
            this.#wake = resolve
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
