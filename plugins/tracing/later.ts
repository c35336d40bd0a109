// Recording that begins with a change of the metadata: its libraries are loaded by then, or with the first request.

import type { Surroundings } from '../../sdk/services.ts'
import type { RecordingHooks } from './record.ts'

/** The hooks of tracing without recording. */
export type PlainHooks = Required<Pick<Surroundings, 'request' | 'outgoing'>>

/** Hooks that record once the libraries are loaded. */
export class LaterRecording {
  readonly #load: () => Promise<RecordingHooks>
  #loading: Promise<void> | null = null
  #loaded: RecordingHooks | null = null
  readonly hooks: RecordingHooks

  /** `plain`: the hooks until then. */
  constructor(plain: PlainHooks, load: () => Promise<RecordingHooks>) {
    this.#load = load
    this.hooks = {
      request: (work, run) => (this.#recording ?? plain).request(work, run),
      outgoing: (work, send) => (this.#recording ?? plain).outgoing(work, send),
      operation: (work, run) => this.#recording?.operation(work, run) ?? run(),
      metadata: (work, run) => this.#recording?.metadata(work, run) ?? run(),
      planning: (work, run) => (this.#recording ? this.#recording.planning(work, run) : run()),
      statement: (work, run) => this.#recording?.statement(work, run) ?? run(),
    }
  }

  /** Loads the libraries. */
  load(): Promise<void> {
    this.#loading ??= this.#load().then((hooks) => {
      this.#loaded = hooks
    })
    return this.#loading
  }

  get #recording(): RecordingHooks | null {
    if (!this.#loaded) void this.load()
    return this.#loaded
  }
}
