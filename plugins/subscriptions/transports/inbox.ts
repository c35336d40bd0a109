// Handles the messages of a client one at a time, in order. A client that sends faster is paused.

import { mostQueuedMessages } from '../tuning.ts'

export interface InboxOptions {
  receive(message: Buffer): Promise<void> | void
  pause(): void
  resume(): void
}

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
    if (this.#messages.length >= mostQueuedMessages && !this.#isPaused) {
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
