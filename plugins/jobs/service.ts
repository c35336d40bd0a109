// The service `jobs`: the declared jobs, and which part runs them.

import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Engine } from '../../sdk/index.ts'
import { storableText, type Transaction } from '../../sdk/sql.ts'
import type { Clock } from './clock/clock.ts'
import type { Store } from './clock/store.ts'
import type { StoreMaker } from './clock/stores.ts'
import { ClusterJobs } from './cluster-jobs.ts'
import { InstanceJob } from './instance-jobs.ts'
import type { DeclaredJob, Job, JobState, Jobs } from './job.ts'
import { Ledger } from './ledger.ts'
import type { ChangeableJobs, ChangedJob, JobChange } from './operations.ts'
import type { JobReport } from './routes.ts'
import type { Runs } from './runs.ts'
import { longestName, mostLoggedReasons } from './tuning.ts'

/** The parts of the service. */
export interface ServiceParts {
  readonly runs: Runs
  readonly createStore: StoreMaker
}

export class JobService implements Jobs, JobReport, ChangeableJobs {
  readonly #engine: Pick<Engine, 'database' | 'observe'>
  readonly #createStore: StoreMaker
  #clock: Clock | null = null
  readonly #runs: Runs
  readonly #cluster: ClusterJobs
  readonly #jobs = new Map<string, Job>()
  readonly #ofInstance = new Map<string, InstanceJob>()
  readonly #instance = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`
  /** Why the store that wakes jobs does not answer; null: it does. */
  #trouble: string | null = null
  /** Reasons of failures that were logged, without their numbers. */
  readonly #logged = new Set<string>()
  /** Whether the store answered last time; null before the first answer. */
  #isWell: boolean | null = null
  #isStarted = false

  constructor(engine: Pick<Engine, 'database' | 'observe'>, { runs, createStore }: ServiceParts) {
    this.#engine = engine
    this.#createStore = createStore
    this.#runs = runs
    this.#cluster = new ClusterJobs({
      ledger: new Ledger(engine.database, this.#instance),
      runs: this.#runs,
      observe: engine.observe,
      createClock: (cluster) => this.#createClock(cluster),
    })
  }

  declare(job: Job): DeclaredJob {
    this.#check(job)
    const onRemoved = () => {
      this.#jobs.delete(job.name)
      this.#ofInstance.delete(job.name)
    }
    const declared = this.#declare(job, onRemoved)
    this.#jobs.set(job.name, job)
    return declared
  }

  async states(): Promise<readonly JobState[]> {
    const states = [...(await this.#cluster.states()), ...[...this.#ofInstance.values()].map(({ state }) => state)]
    return states.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async run(name: string): Promise<void> {
    const job = this.#jobs.get(name)
    if (!job) throw new TypeError(`there is no job "${name}": there are ${[...this.#jobs.keys()].join(', ') || 'none'}`)
    const { thrown } = await this.#runs.begin(job, Date.now()).outcome
    if (thrown !== undefined) throw thrown.value
  }

  get names(): readonly string[] {
    return [...this.#jobs.keys()]
  }

  async change(name: string, change: JobChange, transaction: Pick<Transaction, 'rows'>): Promise<ChangedJob> {
    const ofInstance = this.#ofInstance.get(name)
    if (!ofInstance) return this.#cluster.change(name, change, transaction)
    const refusal = `job ${JSON.stringify(name)} runs on each instance by itself, and cannot be paused`
    return { refusal: change === 'run' ? null : refusal, follow: () => ofInstance.wake() }
  }

  get backend() {
    return { name: this.#createStore.storeName, isReachable: this.#clock?.isWell ?? null, trouble: this.#trouble }
  }

  async start(): Promise<void> {
    this.#isStarted = true
    for (const job of this.#ofInstance.values()) job.start()
    await this.#cluster.start(this.#createStore.isApart)
  }

  /** Ends the running bodies. */
  async stopRuns(): Promise<void> {
    this.#cluster.stopTaking()
    for (const job of this.#ofInstance.values()) job.stop()
    await this.#runs.stop()
  }

  /** Ends everything else; bodies that ignore their signal are given up. */
  async stop(): Promise<void> {
    this.#runs.giveUp()
    await this.#cluster.stop()
  }

  #declare(job: Job, onRemoved: () => void): DeclaredJob {
    if (job.per !== 'instance') return this.#cluster.declare(job, onRemoved)
    const declared = new InstanceJob(job, this.#runs, onRemoved)
    this.#ofInstance.set(job.name, declared)
    if (this.#isStarted) declared.start()
    return declared
  }

  #check({ name, schedule, per = 'cluster', concurrency = 1, timeout = null, run }: Job): void {
    // A name that PostgreSQL cannot store would prevent the storage of all others.
    if (typeof name !== 'string' || name === '' || name.length > longestName || name !== storableText(name)) {
      throw new TypeError(`a job's name has 1 to ${longestName} characters, none of which is U+0000 or half of one`)
    }
    // Agenda keeps jobs as members of an object.
    if (name in Object.prototype) throw new TypeError(`job "${name}" has the name of a member that every object has`)
    if (this.#jobs.has(name)) throw new TypeError(`job "${name}" is declared already`)
    if (typeof run !== 'function') throw new TypeError(`job "${name}": "run" has to be a function`)
    if (per !== 'cluster' && per !== 'instance') {
      throw new TypeError(`job "${name}": "per" has to be one of cluster, instance, and is ${per}`)
    }
    if (schedule !== undefined && (typeof schedule !== 'object' || schedule === null)) {
      throw new TypeError(`job "${name}": "schedule" has to be an object with cron, every or at`)
    }
    if (!Number.isInteger(concurrency) || concurrency < 1)
      throw new TypeError(`job "${name}": concurrency is at least 1`)
    if (timeout !== null && !(timeout > 0 && timeout < 2 ** 31)) {
      throw new TypeError(`job "${name}": a timeout is a number of milliseconds`)
    }
  }

  async #createClock(cluster: ClusterJobs): Promise<Clock> {
    const { Clock } = await import('./clock/clock.ts')
    const store = await this.#createStore.create()
    this.#clock = new Clock({
      store,
      instance: this.#instance,
      names: () => cluster.names,
      onDue: (name) => cluster.due(name),
      onScan: () => cluster.compare(),
      onTrouble: (error) => this.#reportStore(store, error),
    })
    return this.#clock
  }

  /** Logs each failure once while it lasts, and that the store answers again. */
  #reportStore({ name, shown }: Store, failure: Error | null): void {
    const isFirst = this.#isWell === null
    this.#isWell = failure === null
    this.#trouble = failure && shown(failure)
    if (this.#trouble !== null) {
      // Messages contain numbers of connections and attempts.
      const kind = this.#trouble.replaceAll(/\d+/g, '0')
      if (this.#logged.has(kind) || this.#logged.size >= mostLoggedReasons) return
      this.#logged.add(kind)
    } else this.#logged.clear()
    // The database itself needs no such line at the start.
    if (this.#isWell && isFirst && !this.#createStore.isApart) return
    const said = isFirst ? 'answers' : 'answers again'
    this.#engine.observe.log({
      type: 'jobs',
      level: this.#isWell ? 'info' : 'warn',
      detail: {
        message: `${name}, which wakes jobs, ${this.#isWell ? said : 'does not answer'}`,
        job: null,
        error: this.#trouble,
      },
    })
  }
}
