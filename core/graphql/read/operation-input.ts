// What a request brings to an operation: its document and variables, and what of the variables its plan depends on.

import { type GraphQLInputType, Kind, type TypeNode, type ValueNode } from 'graphql'
import { validationFailed } from '../../errors/errors.ts'
import { didYouMean } from '../../errors/nearest.ts'
import { type Path, pathKeys } from '../../errors/path.ts'
import type { GraphQLOperation } from './document.ts'

/** Variables by name, defaults filled in. Never has a prototype. */
export type Variables = Readonly<Record<string, unknown>>

/** Stands for the value of a variable where a document is validated and nobody has sent any. */
export const unknownValue = Symbol('a value that nobody has sent')

/** A variable at a place where it is used. */
export interface UsedVariable {
  readonly type: TypeNode
  readonly value: unknown
  /** Absent also where the default is null. */
  readonly defaultNode: ValueNode | undefined
}

/** What a plan has to know of a value, as text; undefined where it is a refusal, which is never kept. */
export type Aspect = (value: unknown) => string | undefined

/** How a plan depends on a variable beyond its shape: on how long its lists are, on an aspect, or on the value itself. */
export type Dependence = 'lengths' | 'value' | Aspect

/** Selections of an operation once its fragments are expanded; no text without fragments can hold more. */
export const maxSelections = 100_000

/** The refusal of an operation that selects more than {@link maxSelections}. */
export const tooManySelections = () =>
  validationFailed(`the operation selects more than ${maxSelections} fields once its fragments are expanded`)

/** An operation with its variables, while it is validated and planned. */
export class OperationInput {
  readonly operation: GraphQLOperation
  readonly variables: Variables
  readonly dependences = new Map<string, Dependence>()
  /** Of variables, as the places have them where they stand; where such a place is within a scalar there is none. */
  readonly variableTypes = new Map<string, GraphQLInputType>()
  /** Whether a variable stood anywhere. */
  usesVariables = false
  #selections = 0

  constructor(operation: GraphQLOperation, variables: Variables) {
    this.operation = operation
    this.variables = variables
  }

  /** The same operation with the variables of another request; what is read of them there is no matter of this plan. */
  with(variables: Variables): OperationInput {
    return new OperationInput(this.operation, variables)
  }

  /** Whether there is a union of that name, and the object type is a member of it. */
  unionHas(_union: string, _member: string): boolean {
    return false
  }

  /** Counts a selection that was looked at: fragments within fragments can make a short text a huge operation. */
  countSelection(): void {
    if (++this.#selections > maxSelections) throw tooManySelections()
  }

  /** Adds to what the operation costs. */
  addCost(_cost: number, _path: Path | null = null): void {}

  /** The value of a variable at a place of the document. */
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
