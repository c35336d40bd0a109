// The shared context of a mutation's parts.

import { holds } from '../conditions.ts'
import type { Coverage } from '../coverage.ts'
import type { Expression, Leaf } from '../expressions.ts'
import { datumOf, type Run } from '../request.ts'
import { scopeOf } from '../rows.ts'
import type { Datum } from '../types.ts'
import { View } from '../view.ts'
import { isThere, type Preset, type Stored, tableOf, type World } from '../world.ts'
import type { GivenValue, Where } from './mutation.ts'
import type { Condition, Tuple } from './statements.ts'
import { Store } from './store.ts'
import { Writes } from './writes.ts'

export class Context {
  readonly store: Store
  readonly role: string | null
  readonly run: Run
  readonly #coverage: Coverage | undefined
  #view: View

  constructor(world: World, role: string | null, run: Run, coverage?: Coverage) {
    this.store = new Store(world, coverage)
    this.role = role
    this.run = run
    this.#coverage = coverage
    this.#view = new View(world, role, coverage)
  }

  /** The role's view of a world; absent: the current world. */
  view(world = this.store.world): View {
    if (this.#view.world !== world) this.#view = new View(world, this.role, this.#coverage)
    return this.#view
  }

  get writes(): Writes {
    return new Writes(this.view())
  }

  /** Whether a row of a table is not hidden. */
  there(id: string): Condition {
    return (row, world) => isThere(row, tableOf(world, id))
  }

  /** A condition of a permission. */
  permitted(expression: Expression): Condition {
    return (row, world) => holds(expression, row, { world, view: null, run: 0, coverage: this.#coverage })
  }

  /** A condition of the mutation. */
  asked(where: Where | null): Condition {
    if (!where) return () => true
    return (row, world) => holds(where.expression, row, scopeOf(this.view(world), this.run))
  }

  stored(leaf: Leaf<Datum | null>): Stored {
    const datum = datumOf(leaf, this.run)
    return datum === null ? null : { datum }
  }

  tuple(values: readonly GivenValue[]): Tuple {
    return new Map(values.map(({ column, leaf }) => [column, this.stored(leaf)]))
  }
}

/** The values that presets assign. */
export const presetTuple = (presets: readonly Preset[]): Tuple =>
  new Map(presets.map(({ column, value }) => [column, presetValue(value)]))

function presetValue(value: Preset['value']): Stored {
  if (value.kind === 'session') return { datum: value.datum }
  return value.leaf.datum === null ? null : { datum: value.leaf.datum }
}

/** Whether all of some conditions hold. */
export const every =
  (...conditions: readonly Condition[]): Condition =>
  (row, world) =>
    conditions.every((condition) => condition(row, world))
