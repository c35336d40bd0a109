// A request's input to an operation: its document and variables. It records the aspects of variables that the plan
// depends on.

import { type GraphQLInputType, Kind, type TypeNode, type ValueNode } from 'graphql'
import { validationFailed } from '../../errors/errors.ts'
import { didYouMean } from '../../errors/nearest.ts'
import { type Path, pathKeys } from '../../errors/path.ts'
import { maxSelections } from '../tuning.ts'
import type { GraphQLOperation } from './document.ts'

/** Variables by name, with defaults filled in. Never has a prototype. */
export type Variables = Readonly<Record<string, unknown>>

/** Replaces the value of a variable when a document is validated without a request. */
export const unknownValue = Symbol('unknown value')

/** A variable in one place of use. */
export interface UsedVariable {
  readonly type: TypeNode
  readonly value: unknown
  /** Absent also where the default is null. */
  readonly defaultNode: ValueNode | undefined
}

/**
 * The part of a value that a plan depends on, as text; undefined if the value is refused, because refusals are not
 * cached.
 */
export type Aspect = (value: unknown) => string | undefined

/**
 * How a plan depends on a variable beyond its shape: on the lengths of its lists, on an aspect, or on the value itself.
 */
export type Dependence = 'lengths' | 'value' | Aspect

/** The error of an operation that selects more than {@link maxSelections}. */
export const tooManySelections = () =>
  validationFailed(`the operation selects more than ${maxSelections} fields once its fragments are expanded`)

/** An operation with its variables, during validation and planning. */
export class OperationInput {
  readonly operation: GraphQLOperation
  readonly variables: Variables
  /** Whether variables of non-null types may be null in places that take null. */
  readonly acceptsNulls: boolean
  readonly dependences = new Map<string, Dependence>()
  /** Types of variables, taken from the places where they are used; missing for places within a scalar. */
  readonly variableTypes = new Map<string, GraphQLInputType>()
  /** Whether a variable was used anywhere. */
  usesVariables = false
  #selections = 0

  constructor(operation: GraphQLOperation, variables: Variables, acceptsNulls = false) {
    this.operation = operation
    this.variables = variables
    this.acceptsNulls = acceptsNulls
  }

  /**
   * The same operation with the variables of another request; the plan does not depend on values read from the copy.
   */
  with(variables: Variables): OperationInput {
    return new OperationInput(this.operation, variables, this.acceptsNulls)
  }

  /** Whether a union of this name exists and contains the object type. */
  unionHas(_union: string, _member: string): boolean {
    return false
  }

  /** Counts a visited selection: nested fragments can make a short text a huge operation. */
  countSelection(): void {
    if (++this.#selections > maxSelections) throw tooManySelections()
  }

  /** Adds to the cost of the operation. */
  addCost(_cost: number, _path: Path | null = null): void {}

  /** The value of a variable in one place of the document. */
  useVariable(name: string, path: Path | null): UsedVariable {
    this.usesVariables = true
    const declared = this.operation.variables.get(name)
    if (!declared) {
      const help = didYouMean(name, () => this.operation.variables.keys())
      throw validationFailed(`unbound variable "${name}"`, pathKeys(path), help)
    }
    const defaultNode = declared.defaultValue?.kind === Kind.NULL ? undefined : declared.defaultValue
    return { type: declared.type, value: this.variables[name] ?? null, defaultNode }
  }

  /** Records that the plan depends on the variable's value. */
  dependOnValue(name: string): void {
    this.#depend(name, 'value')
  }

  /** Records that the plan depends on an aspect of the variable. */
  dependOnAspect(name: string, aspect: Aspect): void {
    this.#depend(name, aspect)
  }

  /** Records that the plan depends on the lengths of the variable's lists. */
  dependOnLengths(name: string): void {
    this.#depend(name, 'lengths')
  }

  /** Different dependences on one variable combine to a dependence on its value. */
  #depend(name: string, dependence: Dependence): void {
    const known = this.dependences.get(name) ?? dependence
    this.dependences.set(name, known === dependence ? dependence : 'value')
  }
}
