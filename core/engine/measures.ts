// Metrics that plugins provide to monitoring.

/** The common members of all kinds. */
export interface MeasureDescription {
  /** The Prometheus name without the dialect's prefix: `job_runs_total`. */
  readonly name: string
  readonly help: string
  /** The names of all labels. Clients must not be able to add values, and there must be few. */
  readonly labels?: readonly string[]
  /** Whether all instances report the same, because they read it from the database. Of several workers the largest number counts, not the sum. */
  readonly isShared?: boolean
}

/** A value with its labels. */
export interface MeasuredNumber {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** A metric that is read on demand; a `counter` only grows. It is omitted if it cannot be read. */
export interface ReadMeasure extends MeasureDescription {
  readonly kind: 'counter' | 'gauge'
  read(): readonly MeasuredNumber[] | Promise<readonly MeasuredNumber[]>
}

/** Records a value. */
export type Observe = (value: number, labels?: Readonly<Record<string, string>>) => void

/** A histogram of values that are recorded when they occur, with the upper bounds of its buckets. */
export interface ObservedMeasure extends MeasureDescription {
  readonly kind: 'histogram'
  readonly buckets: readonly number[]
  /** Receives the function that records values. Called only if a plugin collects metrics. */
  observeBy(observe: Observe): void
}

/** A metric of a plugin. */
export type Measure = ReadMeasure | ObservedMeasure

/** Names of metrics and labels that all collectors accept. */
const nameForm = /^[A-Za-z_]\w*$/

/** The metrics of all plugins. */
export class Measures {
  readonly #declared = new Map<string, Measure>()

  add(...measures: readonly Measure[]): void {
    for (const measure of measures) {
      const { name, labels = [] } = measure
      const bad = [name, ...labels].find((each) => !nameForm.test(each))
      if (bad !== undefined) throw new Error(`the measure "${name}": "${bad}" is not a valid name for a metric`)
      if (this.#declared.has(measure.name)) throw new Error(`the measure "${measure.name}" is declared already`)
      this.#declared.set(measure.name, measure)
    }
  }

  all(): readonly Measure[] {
    return [...this.#declared.values()]
  }
}
