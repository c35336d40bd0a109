// The supervisor: starts the workers, replaces those that end, and stops them all. It serves no request.

import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { fstatSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../../core/errors/start-error.ts'
import { messageOf } from '../../core/errors/thrown.ts'
import type { LogLevel, Observer } from '../../core/log/observe.ts'
import { longestRestartPause, shortestRestartPause, steadyMillis } from '../tuning.ts'
import { passLines } from './lines.ts'
import { workerVariable } from './link.ts'
import type { Order, Report, WorkerStart } from './messages.ts'
import { type Party, Questions } from './questions.ts'

export interface SupervisorOptions {
  readonly count: number
  /** The start of the worker with that number. */
  startOf(number: number): WorkerStart
  readonly observe: Observer
}

/** The place of a worker, which successors take over with its number. */
interface Place {
  readonly number: number
  worker: Worker | null
  /** Takes questions; null: the worker does not do so yet. */
  party: Party | null
  isReady: boolean
  /** Milliseconds before the next successor starts. */
  pause: number
}

export class Supervisor {
  /** Rejects when no worker serves, and none can start. */
  readonly failure: Promise<never>
  readonly #options: SupervisorOptions
  readonly #places: readonly Place[]
  readonly #questions = new Questions()
  #fail: (reason: unknown) => void = () => {}
  #isStopping = false

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#places = Array.from({ length: options.count }, (_, i) => ({
      ...{ number: i + 1, worker: null, party: null, isReady: false, pause: 0 },
    }))
    const { promise, reject } = Promise.withResolvers<never>()
    this.failure = promise
    this.#fail = reject
    promise.catch(() => {})
  }

  /** Starts the first worker, which prepares the database, then the others. Returns the banner once all listen. */
  async start(): Promise<string> {
    if (cluster.isWorker) throw new StartError('--workers: this process is itself a worker of a cluster')
    // The workers accept from one socket: connections that wait there survive the end of any worker.
    cluster.schedulingPolicy = cluster.SCHED_NONE
    cluster.setupPrimary({
      serialization: 'advanced',
      stdio: ['ignore', mixesLines() ? 'pipe' : 'inherit', 'inherit', 'ipc'],
    })
    const [first, ...others] = this.#places
    const banner = await this.#run(first!)
    await Promise.all(others.map((place) => this.#run(place)))
    return banner
  }

  /** Tells all workers to stop: each serves on for the shutdown delay, and ends its requests in time. */
  async drain(): Promise<void> {
    this.#isStopping = true
    for (const { worker } of this.#places) if (worker) send(worker, { kind: 'stop' })
  }

  /** Waits until all workers have ended. */
  async close(): Promise<void> {
    await this.drain()
    const running = this.#places.flatMap(({ worker }) => worker ?? [])
    await Promise.all(running.map((worker) => once(worker.process, 'close')))
  }

  /** Ends all workers at once. */
  kill(): void {
    this.#isStopping = true
    for (const { worker } of this.#places) worker?.process.kill('SIGKILL')
  }

  /** Starts a worker. Resolves with its banner when it listens; rejects when it ends before. */
  #run(place: Place): Promise<string> {
    const { number } = place
    const worker = cluster.fork({ [workerVariable]: String(number) })
    const party: Party = { number, send: (order) => send(worker, order) }
    const started = performance.now()
    place.worker = worker
    if (worker.process.stdout) passLines(worker.process.stdout)
    send(worker, { kind: 'start', start: this.#options.startOf(number) })
    let reason: string | null = null
    return new Promise((ready, failed) => {
      worker.on('error', () => {})
      worker.on('message', (report: Report) => {
        if (report.kind === 'hello') place.party = party
        else if (report.kind === 'failed') reason = report.line
        else if (report.kind === 'answer') this.#questions.answered(party, report)
        else if (report.kind === 'ask') this.#questions.ask(party, report, this.#partiesBut(party))
        else {
          place.isReady = true
          ready(report.banner)
        }
      })
      worker.process.once('close', (code, signal) => {
        const how = signal ?? `exit code ${code}`
        const wasReady = place.isReady
        Object.assign(place, { worker: null, party: null, isReady: false })
        this.#questions.lost(party)
        if (!wasReady) failed(new StartError(reason ?? `worker ${number} ended while it started (${how})`))
        else if (!this.#isStopping) void this.#replace(place, how, performance.now() - started)
      })
    })
  }

  /** Starts successors until one serves. As long as another worker serves, a failure is only logged. */
  async #replace(place: Place, how: string, livedMillis: number): Promise<void> {
    this.#log('error', `worker ${place.number} ended (${how}), starting it again`)
    if (livedMillis >= steadyMillis) place.pause = 0
    while (!this.#isStopping) {
      await sleep(place.pause)
      place.pause = Math.min(Math.max(place.pause * 2, shortestRestartPause), longestRestartPause)
      if (this.#isStopping) return
      try {
        await this.#run(place)
        this.#log('info', `worker ${place.number} serves again`)
        return
      } catch (error) {
        if (this.#isStopping) return
        if (!this.#places.some(({ isReady }) => isReady)) return this.#fail(error)
        this.#log('error', `worker ${place.number} cannot start: ${messageOf(error)}`)
      }
    }
  }

  #partiesBut(asker: Party): readonly Party[] {
    return this.#places.flatMap(({ party }) => (party === null || party === asker ? [] : [party]))
  }

  #log(level: LogLevel, detail: string): void {
    this.#options.observe.log({ type: 'unstructured', level, detail })
  }
}

/** Whether lines that several processes write to stdout may mix: those of a pipe do, when its reader is slow. */
function mixesLines(): boolean {
  const output = fstatSync(1)
  return output.isFIFO() || output.isSocket()
}

/** A worker that ends takes no more orders. */
function send(worker: Worker, order: Order): void {
  if (worker.isConnected()) worker.send(order, () => {})
}
