// The types and operators that an engine knows: those of core and of its plugins.

import type { PgType } from '../../catalog/types.ts'
import type { ComparisonOperator, OperatorTable } from './comparison-operator.ts'
import { coreOperators, withOperator } from './operators.ts'
import { adoptType, type KnownTypes, type TypeSupport } from './type-support.ts'

export class Vocabulary implements KnownTypes {
  readonly #types = new Map<string, TypeSupport>()
  #operators: OperatorTable = coreOperators
  readonly offersAll: boolean

  constructor({ offersAll = false } = {}) {
    this.offersAll = offersAll
  }

  get types(): ReadonlyMap<string, TypeSupport> {
    return this.#types
  }

  get operators(): OperatorTable {
    return this.#operators
  }

  /** Adds types. Their names must be new. */
  addTypes(...types: readonly TypeSupport[]): void {
    for (const type of types) {
      if (this.#types.has(type.name)) throw new Error(`the type ${type.name} already exists`)
      this.#types.set(type.name, type)
    }
  }

  /** Adds operators. Two operators with one name cannot share a type. */
  addOperators(...operators: readonly ComparisonOperator[]): void {
    for (const operator of operators) this.#operators = withOperator(this.#operators, operator)
  }

  /** Ties types from the catalog to this engine. */
  adopt(types: Iterable<PgType>): void {
    for (const type of types) adoptType(type, this)
  }
}
