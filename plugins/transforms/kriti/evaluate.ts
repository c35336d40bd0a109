// Evaluates templates. A template is data: it can read only the values that it is given, and its work has a limit.

import { isJsonObject, jsonType } from '../../../sdk/services.ts'
import { functionCost, mostCharacters, mostEvaluations } from '../tuning.ts'
import { FunctionRefusal, templateFunctions } from './functions.ts'
import {
  type EvaluationErrorCode,
  type Expression,
  type Operator,
  type Range,
  type Step,
  type Template,
  TemplateError,
} from './syntax.ts'
import { type Count, compare, equal, jsonSize, textOf } from './values.ts'

/** The values that a template can read, by the names of variables, and functions of its place. */
export interface TemplateScope {
  readonly variables: Readonly<Record<string, unknown>>
  readonly functions?: Readonly<Record<string, (value: unknown) => unknown>>
}

/** The work of the templates of one transform, which have one limit together. */
export class Work {
  evaluations = 0
  characters = 0
}

/** The value of a template, as JSON with exact numbers; throws {@link TemplateError}. */
export function evaluate({ root }: Template, scope: TemplateScope, work = new Work()): unknown {
  const value = new Evaluation(scope, work).of(root, null)
  if (jsonSize(value, mostCharacters) > mostCharacters) {
    throw new TemplateError('Limit Error', `The value has more than ${mostCharacters} characters.`, root)
  }
  return value
}

/** Variables of loops, from the innermost outwards. */
interface Local {
  readonly name: string
  readonly value: unknown
  readonly outer: Local | null
}

type Operation = Extract<Expression, { kind: 'operation' }>

const absent = Symbol('absent')

class Evaluation {
  readonly #scope: TemplateScope
  readonly #work: Work

  constructor(scope: TemplateScope, work: Work) {
    this.#scope = scope
    this.#work = work
  }

  of(expression: Expression, locals: Local | null): unknown {
    this.#count(1, 0, expression)
    switch (expression.kind) {
      case 'constant':
        return expression.value
      case 'text':
        return this.#text(expression, expression.parts, locals)
      case 'list':
        return expression.items.map((item) => this.of(item, locals))
      case 'object':
        return Object.fromEntries(
          expression.members.map(([key, value]) => [String(this.of(key, locals)), this.of(value, locals)]),
        )
      case 'path':
        return this.#path(expression, locals)
      case 'call':
        return this.#call(expression, locals)
      case 'operation':
        return this.#operation(expression, locals)
      case 'if': {
        const chosen = expression.branches.find(([condition]) => this.#condition(condition, locals))
        return this.of(chosen ? chosen[1] : expression.otherwise, locals)
      }
      case 'range':
        return this.#range(expression, locals)
    }
  }

  #text(range: Range, parts: readonly (string | Expression)[], locals: Local | null): string {
    let text = ''
    for (const part of parts) {
      const value = typeof part === 'string' ? part : this.of(part, locals)
      this.#read(value, 1, range)
      text += textOf(value)
    }
    return text
  }

  #path({ variable, steps, ...range }: Extract<Expression, { kind: 'path' }>, locals: Local | null): unknown {
    this.#count(steps.length, 0, range)
    let value = this.#variable(variable, locals, range)
    if (value === absent) throw failed('Invalid Path', `"${variable}" is not defined.`, range)
    let isOptional = false
    for (const [i, step] of steps.entries()) {
      // `a?.b` allows that `a` is missing, and that it has no `b`.
      isOptional ||= step.isOptional || steps[i + 1]?.isOptional === true
      const found = memberAt(value, step)
      if (found !== absent) {
        value = found
        continue
      }
      if (isOptional) return null
      throw failed(
        'Invalid Path',
        `"${variable}${steps
          .slice(0, i + 1)
          .map(stepText)
          .join('')}" does not exist.`,
        range,
      )
    }
    return value
  }

  #variable(name: string, locals: Local | null, range: Range): unknown {
    for (let local = locals; local; local = local.outer) {
      this.#count(1, 0, range)
      if (local.name === name) return local.value
    }
    const { variables } = this.#scope
    return Object.hasOwn(variables, name) ? variables[name] : absent
  }

  #call({ name, argument, ...range }: Extract<Expression, { kind: 'call' }>, locals: Local | null): unknown {
    const { functions = {} } = this.#scope
    const call = Object.hasOwn(functions, name) ? functions[name] : templateFunctions.get(name)
    if (!call) throw failed('Function Error', `Function "${name}" is not defined.`, range)
    const value = this.of(argument, locals)
    // The work of a function grows with its value.
    this.#read(value, functionCost, range)
    try {
      return call(value)
    } catch (error) {
      if (!(error instanceof FunctionRefusal)) throw error
      throw failed('Function Error', `${name}: ${error.message}`, range)
    }
  }

  /** Chains such as `a || b || c` nest on their left. They have no limit, so this is a loop. */
  #operation(expression: Operation, locals: Local | null): unknown {
    const chain: Operation[] = []
    let leftmost: Expression = expression
    for (; leftmost.kind === 'operation'; leftmost = leftmost.left) chain.push(leftmost)
    this.#count(chain.length, 0, expression)
    return chain.reduceRight((left, each) => this.#applied(each, left, locals), this.of(leftmost, locals))
  }

  #applied(operation: Operation, left: unknown, locals: Local | null): unknown {
    const { operator, right } = operation
    if (operator === '??') return left ?? this.of(right, locals)
    if (operator === '&&') return boolean(left, operation.left) && this.#condition(right, locals)
    if (operator === '||') return boolean(left, operation.left) || this.#condition(right, locals)
    const other = this.of(right, locals)
    const count = (characters: number) => this.#count(0, characters, operation)
    if (operator === '==' || operator === '!=') return equal(left, other, count) === (operator === '==')
    if (operator === 'in') return isIn(left, other, { count, range: operation })
    return ordered(operator, compare(left, other, count), () => {
      const message = `${jsonType(left)} and ${jsonType(other)} have no order.`
      return failed('Type Error', message, operation)
    })
  }

  #condition(expression: Expression, locals: Local | null): boolean {
    return boolean(this.of(expression, locals), expression)
  }

  #range({ index, item, list, body }: Extract<Expression, { kind: 'range' }>, locals: Local | null): unknown[] {
    const values = this.of(list, locals)
    if (!Array.isArray(values)) throw failed('Range Error', `Expected Array, but got ${jsonType(values)}.`, list)
    return values.map((value, i) => {
      const outer = index === '_' ? locals : { name: index, value: i, outer: locals }
      return this.of(body, { name: item, value, outer })
    })
  }

  /** Counts a value that is read as a whole. */
  #read(value: unknown, cost: number, range: Range): void {
    const left = (mostCharacters - this.#work.characters) / cost
    this.#count(0, jsonSize(value, left) * cost, range)
  }

  #count(evaluations: number, characters: number, range: Range): void {
    const work = this.#work
    work.evaluations += evaluations
    work.characters += characters
    if (work.evaluations <= mostEvaluations && work.characters <= mostCharacters) return
    throw failed('Limit Error', 'The template takes too long.', range)
  }
}

const failed = (code: EvaluationErrorCode, message: string, { start, end }: Range) =>
  new TemplateError(code, message, { start, end })

const stepText = ({ key, isOptional }: Step): string =>
  `${isOptional ? '?' : ''}${typeof key === 'number' ? `[${key}]` : `.${key}`}`

/** A member or an item; {@link absent} without one. */
function memberAt(value: unknown, { key }: Step): unknown {
  if (typeof key === 'number') return Array.isArray(value) && key < value.length ? value[key] : absent
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : absent
}

function boolean(value: unknown, range: Range): boolean {
  if (typeof value === 'boolean') return value
  throw failed('Type Error', `Expected Boolean, but got ${jsonType(value)}.`, range)
}

function isIn(
  value: unknown,
  container: unknown,
  { count, range }: { readonly count: Count; readonly range: Range },
): boolean {
  if (Array.isArray(container)) return container.some((item) => equal(value, item, count))
  if (isJsonObject(container)) return typeof value === 'string' && Object.hasOwn(container, value)
  throw failed('Type Error', `Expected Array or Object, but got ${jsonType(container)}.`, range)
}

function ordered(operator: Operator, order: number | null, refusal: () => TemplateError): boolean {
  if (order === null) throw refusal()
  if (operator === '<') return order < 0
  if (operator === '>') return order > 0
  return operator === '<=' ? order <= 0 : order >= 0
}
