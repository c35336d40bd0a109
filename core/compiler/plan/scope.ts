// The place of a condition in its statement, from which the SQL form of conditions on related rows follows.

/** The place of a condition among those around it. */
export interface Scope {
  /** The number of relationships between it and the last one that was collected. */
  readonly level: number
  /** The number of EXISTS around it that are planned twice. */
  readonly twice: number
  /** Whether it belongs to the conjunction that selects the rows. */
  readonly isPart: boolean
  /** The number of joins to those rows. */
  readonly joins: { count: number }
  /** Whether it may refer to an outer row. A collected form would then be evaluated for each such row. */
  readonly isRooted: boolean
}

/** The scope of a condition on all rows of a query. */
export const rootScope = (): Scope => ({ level: 0, twice: 0, isPart: true, joins: { count: 0 }, isRooted: false })

/** The scope below a `rooted` condition. */
export const rootedScope = (scope: Scope): Scope => ({ ...scope, isRooted: true })

/** The scope inside of a disjunction or a negation. */
export const detached = (scope: Scope): Scope => (scope.isPart ? { ...scope, isPart: false } : scope)

/** The scope in a subquery with its own rows. */
export const inSubquery = ({ level, twice, isRooted }: Scope): Scope => ({ ...rootScope(), level, twice, isRooted })
