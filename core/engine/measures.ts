// Numbers that plugins give to whoever watches the server.

/** What all kinds have. */
export interface MeasureDescription {
  /** As Prometheus has it, without the dialect's prefix: `job_runs_total`. */
  readonly name: string
  readonly help: string
  /** The names of all labels that the numbers have; their values must be few, whatever clients send. */
  readonly labels?: readonly string[]
}

/** A number with the values of its labels. */
export interface MeasuredNumber {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** Numbers that are read when somebody asks; a `counter` only grows. What cannot be read then is left out. */
export interface ReadMeasure extends MeasureDescription {
  readonly kind: 'counter' | 'gauge'
  read(): readonly MeasuredNumber[] | Promise<readonly MeasuredNumber[]>
}

/** Records a value. */
export type Observe = (value: number, labels?: Readonly<Record<string, string>>) => void

/** Values that are counted while they occur, by upper bounds. */
export interface ObservedMeasure extends MeasureDescription {
  readonly kind: 'histogram'
  readonly buckets: readonly number[]
  /** Hands over what records the values, if anybody wants them. */
  observeBy(observe: Observe): void
}

export type Measure = ReadMeasure | ObservedMeasure

/** Names of metrics and labels that every reader takes. */
const nameForm = /^[A-Za-z_]\w*$/

/** The measures of all plugins. */
export class Measures {
  readonly #declared = new Map<string, Measure>()

  add(...measures: readonly Measure[]): void {
    for (const measure of measures) {
      const { name, labels = [] } = measure
      const bad = [name, ...labels].find((each) => !nameForm.test(each))
      if (bad !== undefined) throw new Error(`the measure "${name}": "${bad}" is no name that metrics can have`)
      if (this.#declared.has(measure.name)) throw new Error(`the measure "${measure.name}" is declared already`)
      this.#declared.set(measure.name, measure)
    }
  }

  all(): readonly Measure[] {
    return [...this.#declared.values()]
  }
}
