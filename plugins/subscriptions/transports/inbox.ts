// The messages of a client, handled one at a time in the order in which they came. A client that sends faster has to wait.

export interface InboxOptions {
  receive(message: Buffer): Promise<void> | void
  pause(): void
  resume(): void
}

/** So many messages wait before no more are read. */
const mostWaiting = 32

export class Inbox {
  readonly #options: InboxOptions
  readonly #messages: Buffer[] = []
  #isBusy = false
  #isPaused = false

  constructor(options: InboxOptions) {
    this.#options = options
  }

  put(message: Buffer): void {
    this.#messages.push(message)
    if (this.#messages.length >= mostWaiting && !this.#isPaused) {
      this.#isPaused = true
      this.#options.pause()
    }
    if (!this.#isBusy) void this.#handle()
  }

  async #handle(): Promise<void> {
    this.#isBusy = true
    for (let message = this.#messages.shift(); message; message = this.#messages.shift()) {
      const handling = this.#options.receive(message)
      if (handling instanceof Promise) await handling
    }
    this.#isBusy = false
    if (this.#isPaused) {
      this.#isPaused = false
      this.#options.resume()
    }
  }
}
