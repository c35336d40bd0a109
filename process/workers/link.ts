// The side of a worker: its orders from the supervisor, and its questions to the other workers.

import type { WorkerAnswers, Workers } from '../../core/concurrency/workers.ts'
import { supervisorMillis } from '../tuning.ts'
import type { Order, Question, Report, WorkerStart } from './messages.ts'

/** The variable by which the supervisor marks its workers. */
export const workerVariable = 'TRELLIS_WORKER'

export class WorkerLink {
  /** Resolves with the start that the supervisor sends. */
  readonly start: Promise<WorkerStart>
  readonly #replies = new Map<string, (question: unknown) => unknown>()
  readonly #asked = new Map<number, (answers: WorkerAnswers) => void>()
  readonly #stops: (() => void)[] = []
  #next = 0

  /** The link of this process; null: it is not a worker. */
  static ofProcess(): WorkerLink | null {
    if (process.env[workerVariable] === undefined || !process.send) return null
    delete process.env[workerVariable]
    return new WorkerLink()
  }

  constructor() {
    const { promise, resolve } = Promise.withResolvers<WorkerStart>()
    this.start = promise
    process.on('message', (order: Order) => this.#take(order, resolve))
    void this.#send({ kind: 'hello' })
  }

  /** Calls back when the server is to stop. */
  onStop(stop: () => void): void {
    this.#stops.push(stop)
  }

  /** Tells the supervisor that this worker listens. */
  async ready(banner: string): Promise<void> {
    await this.#send({ kind: 'ready', banner })
  }

  /** Tells the supervisor why this worker ends. */
  async failed(line: string): Promise<void> {
    await this.#send({ kind: 'failed', line })
  }

  /** The workers, for the engine. */
  workers({ number, count }: Pick<WorkerStart, 'number' | 'count'>): Workers {
    return {
      own: number,
      count,
      answer: (subject, reply) => void this.#replies.set(subject, reply),
      ask: (subject, question, millis) =>
        new Promise((resolve) => {
          const id = this.#next++
          // The supervisor ends the wait, unless it does not run any more.
          const others = Array.from({ length: count }, (_, i) => i + 1).filter((each) => each !== number)
          const late = setTimeout(() => this.#answered(id, { answers: [], missing: others }), millis + supervisorMillis)
          this.#asked.set(id, (answers) => {
            clearTimeout(late)
            resolve(answers)
          })
          void this.#send({ kind: 'ask', id, subject, question, millis })
        }),
    }
  }

  #take(order: Order, begin: (start: WorkerStart) => void): void {
    if (order.kind === 'start') begin(order.start)
    else if (order.kind === 'stop') for (const stop of this.#stops) stop()
    else if (order.kind === 'question') void this.#reply(order)
    else this.#answered(order.id, order)
  }

  #answered(id: number, { answers, missing }: WorkerAnswers): void {
    this.#asked.get(id)?.({ answers, missing })
    this.#asked.delete(id)
  }

  /** An engine that is not made yet has no reply. It starts from the metadata that is stored then. */
  async #reply({ id, subject, question }: Question): Promise<void> {
    try {
      const answer = await this.#replies.get(subject)?.(question)
      await this.#send({ kind: 'answer', id, answer, isFailed: false })
    } catch {
      await this.#send({ kind: 'answer', id, isFailed: true })
    }
  }

  /** Resolves when the message is sent, or cannot be: the supervisor has ended, and this process is about to. */
  #send(report: Report): Promise<void> {
    return new Promise((done) => {
      if (process.connected) process.send!(report, undefined, undefined, () => done())
      else done()
    })
  }
}
