// What planning one operation needs and finds out: the role's schema, the variables, and what of them the plan depends
// on. A plan may be used again for every request whose variables look the same in those respects.

import type { TypeNode } from 'graphql'
import { validationFailed } from '../errors.ts'
import { type Path, pathKeys } from '../path.ts'
import type { RowPlanner } from './contribution.ts'
import type { Operation } from './document.ts'
import type { RoleSchema } from './role-schema.ts'
import type { FieldSelection } from './selection.ts'

/** Variables by name, defaults filled in. Never has a prototype. */
export type Variables = Readonly<Record<string, unknown>>

/** What a plan has to know of a value, as text; undefined where it is a refusal, which is never kept. */
export type Aspect = (value: unknown) => string | undefined

/** How a plan depends on a variable beyond its shape: on how long its lists are, on an aspect, or on the value itself. */
export type Dependence = 'lengths' | 'value' | Aspect

/** A field of rows that JavaScript answers after the statement has run. */
export interface RowJoin {
  readonly field: FieldSelection
  readonly args: Readonly<Record<string, unknown>>
  readonly planner: Extract<RowPlanner, { kind: 'resolved' }>
}

export class PlanContext {
  readonly schema: RoleSchema
  readonly operation: Operation
  readonly variables: Variables
  readonly used = new Set<string>()
  readonly dependences: Map<string, Dependence>
  /** In the order of the `index` of deferred outputs. */
  readonly joins: RowJoin[] = []

  constructor(schema: RoleSchema, operation: Operation, variables: Variables, known: ReadonlyMap<string, Dependence>) {
    this.schema = schema
    this.operation = operation
    this.variables = variables
    this.dependences = new Map(known)
  }

  /** The value of a variable at a place of the document. */
  useVariable(name: string, path: Path | null): { type: TypeNode; value: unknown; hasDefault: boolean } {
    const declared = this.operation.variables.get(name)
    if (!declared) throw validationFailed(`unbound variable "${name}"`, pathKeys(path))
    this.used.add(name)
    const hasDefault = declared.defaultValue !== undefined && declared.defaultValue.kind !== 'NullValue'
    return { type: declared.type, value: this.variables[name] ?? null, hasDefault }
  }

  /** Says that another value of the variable needs another plan. */
  dependOnValue(name: string): void {
    this.#depend(name, 'value')
  }

  /** Says that a value with another aspect needs another plan. */
  dependOnAspect(name: string, aspect: Aspect): void {
    this.#depend(name, aspect)
  }

  /** Says that another number of list elements needs another plan. */
  dependOnLengths(name: string): void {
    this.#depend(name, 'lengths')
  }

  /** Different dependences on one variable are a dependence on its value. */
  #depend(name: string, dependence: Dependence): void {
    const known = this.dependences.get(name) ?? dependence
    this.dependences.set(name, known === dependence ? dependence : 'value')
  }
}
