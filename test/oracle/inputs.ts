// Input values as GraphQL text, with variables for some of them.

import type { Leaf } from './expressions.ts'
import { isList, isObject, type Json, Num } from './json.ts'
import { inputOf, type Run } from './request.ts'
import { isGraphQLName } from './world.ts'

/** An input value: leaves, lists and objects. Lists and objects with a `lift` may be variables as a whole. */
export type Input =
  | { readonly kind: 'leaf'; readonly leaf: Leaf<unknown>; readonly nonNull: boolean }
  | { readonly kind: 'list'; readonly items: readonly Input[]; readonly type: string; readonly lift: object | null }
  | ObjectInput

export interface ObjectInput {
  readonly kind: 'object'
  readonly entries: readonly (readonly [string, Input])[]
  readonly type: string
  readonly lift: object | null
}

export const leafInput = (leaf: Leaf<unknown>, nonNull = false): Input => ({ kind: 'leaf', leaf, nonNull })

export const objectInput = (entries: ObjectInput['entries'], type = '', lift: object | null = null): ObjectInput => ({
  kind: 'object',
  entries,
  type,
  lift,
})

export const nullInput = leafInput({ type: 'String', input: null, datum: null })

/** Prints inputs, and collects the variables of a document. */
export class Inputs {
  readonly #run: Run
  readonly #declarations: string[] = []
  readonly #variables: { [name: string]: Json } = {}
  readonly #names = new Map<object, string>()

  constructor(run: Run) {
    this.#run = run
  }

  /** `($v0: Int)`, or nothing. */
  get declarations(): string {
    return this.#declarations.length > 0 ? `(${this.#declarations.join(', ')})` : ''
  }

  get variables(): { readonly [name: string]: Json } {
    return this.#variables
  }

  print(input: Input): string {
    const json = inputJson(input, this.#run)
    if (input.kind === 'leaf') {
      const { leaf, nonNull } = input
      return leaf.lift ? this.#variable(leaf, json, nonNull) : literal(json, leaf.isEnum)
    }
    if (input.lift) return this.#whole(input.lift, input.type, json)
    if (input.kind === 'list') return `[${input.items.map((item) => this.print(item)).join(', ')}]`
    return `{${input.entries.map(([name, member]) => `${name}: ${this.print(member)}`).join(', ')}}`
  }

  #whole(key: object, type: string, json: Json): string {
    const name = this.#names.get(key) ?? this.#declare(key, type)
    this.#variables[name] = json
    return `$${name}`
  }

  #variable(leaf: Leaf<unknown>, json: Json, nonNull: boolean): string {
    const { strict, byDefault } = leaf.lift!
    const type = `${leaf.type}${strict || (nonNull && !byDefault) ? '!' : ''}`
    const text = byDefault ? ` = ${literal(leaf.input, leaf.isEnum)}` : ''
    const name = this.#names.get(leaf) ?? this.#declare(leaf, `${type}${text}`)
    if (!byDefault || this.#run === 1) this.#variables[name] = json
    return `$${name}`
  }

  #declare(key: object, type: string): string {
    const name = `v${this.#declarations.length}`
    this.#names.set(key, name)
    this.#declarations.push(`$${name}: ${type}`)
    return name
  }
}

function inputJson(input: Input, run: Run): Json {
  if (input.kind === 'leaf') return inputOf(input.leaf, run)
  if (input.kind === 'list') return input.items.map((item) => inputJson(item, run))
  return Object.fromEntries(input.entries.map(([name, member]) => [name, inputJson(member, run)]))
}

/** Whether a value has a literal in GraphQL's syntax. */
export const isLiteral = (json: Json): boolean => {
  if (isList(json)) return json.every(isLiteral)
  return !isObject(json) || Object.entries(json).every(([key, value]) => isGraphQLName(key) && isLiteral(value))
}

function literal(json: Json, isEnum = false): string {
  if (isEnum && json !== null) return json as string
  if (isList(json)) return `[${json.map((item) => literal(item)).join(', ')}]`
  if (!isObject(json)) return json instanceof Num ? json.text : JSON.stringify(json)
  return `{${Object.entries(json)
    .map(([key, value]) => `${key}: ${literal(value)}`)
    .join(', ')}}`
}
