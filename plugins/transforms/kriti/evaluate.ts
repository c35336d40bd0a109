// Evaluates templates. A template is data: it can read only the values that it is given, and its work has a limit.

import { isJsonObject, jsonType } from '../../../sdk/services.ts'
import { mostCharacters, mostEvaluations } from '../tuning.ts'
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
import { compare, equal, jsonSize, textOf } from './values.ts'

/** The values that a template can read, by the names of variables, and functions of its place. */
export interface TemplateScope {
  readonly variables: Readonly<Record<string, unknown>>
  readonly functions?: Readonly<Record<string, (value: unknown) => unknown>>
}

/** The value of a template, as JSON with exact numbers; throws {@link TemplateError}. */
export function evaluate({ root }: Template, scope: TemplateScope): unknown {
  const value = new Evaluation(scope).of(root, null)
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

const absent = Symbol('absent')

class Evaluation {
  readonly #scope: TemplateScope
  #evaluations = 0
  #characters = 0

  constructor(scope: TemplateScope) {
    this.#scope = scope
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
      this.#count(0, jsonSize(value, mostCharacters), range)
      text += textOf(value)
    }
    return text
  }

  #path({ variable, steps, ...range }: Extract<Expression, { kind: 'path' }>, locals: Local | null): unknown {
    let value = this.#variable(variable, locals)
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

  #variable(name: string, locals: Local | null): unknown {
    for (let local = locals; local; local = local.outer) if (local.name === name) return local.value
    const { variables } = this.#scope
    return Object.hasOwn(variables, name) ? variables[name] : absent
  }

  #call({ name, argument, ...range }: Extract<Expression, { kind: 'call' }>, locals: Local | null): unknown {
    const { functions = {} } = this.#scope
    const call = Object.hasOwn(functions, name) ? functions[name] : templateFunctions.get(name)
    if (!call) throw failed('Function Error', `Function "${name}" is not defined.`, range)
    const value = this.of(argument, locals)
    // The work of a function grows with its value.
    this.#count(0, jsonSize(value, mostCharacters), range)
    try {
      return call(value)
    } catch (error) {
      if (!(error instanceof FunctionRefusal)) throw error
      throw failed('Function Error', `${name}: ${error.message}`, range)
    }
  }

  #operation(expression: Extract<Expression, { kind: 'operation' }>, locals: Local | null): unknown {
    const { operator, left, right } = expression
    if (operator === '&&') return this.#condition(left, locals) && this.#condition(right, locals)
    if (operator === '||') return this.#condition(left, locals) || this.#condition(right, locals)
    const value = this.of(left, locals)
    if (operator === '??') return value ?? this.of(right, locals)
    const other = this.of(right, locals)
    if (operator === '==' || operator === '!=') {
      this.#count(0, jsonSize(value, mostCharacters), expression)
      return equal(value, other) === (operator === '==')
    }
    if (operator === 'in') this.#count(0, jsonSize(other, mostCharacters), expression)
    return operator === 'in' ? isIn(value, other, expression) : ordered(operator, value, other, expression)
  }

  #condition(expression: Expression, locals: Local | null): boolean {
    const value = this.of(expression, locals)
    if (typeof value === 'boolean') return value
    throw failed('Type Error', `Expected Boolean, but got ${jsonType(value)}.`, expression)
  }

  #range({ index, item, list, body }: Extract<Expression, { kind: 'range' }>, locals: Local | null): unknown[] {
    const values = this.of(list, locals)
    if (!Array.isArray(values)) throw failed('Range Error', `Expected Array, but got ${jsonType(values)}.`, list)
    return values.map((value, i) => {
      const outer = index === '_' ? locals : { name: index, value: i, outer: locals }
      return this.of(body, { name: item, value, outer })
    })
  }

  #count(evaluations: number, characters: number, range: Range): void {
    this.#evaluations += evaluations
    this.#characters += characters
    if (this.#evaluations <= mostEvaluations && this.#characters <= mostCharacters) return
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

function isIn(value: unknown, container: unknown, range: Range): boolean {
  if (Array.isArray(container)) return container.some((item) => equal(value, item))
  if (isJsonObject(container)) return typeof value === 'string' && Object.hasOwn(container, value)
  throw failed('Type Error', `Expected Array or Object, but got ${jsonType(container)}.`, range)
}

function ordered(operator: Operator, left: unknown, right: unknown, range: Range): boolean {
  const order = compare(left, right)
  if (order === null) {
    throw failed('Type Error', `${jsonType(left)} and ${jsonType(right)} have no order.`, range)
  }
  if (operator === '<') return order < 0
  if (operator === '>') return order > 0
  return operator === '<=' ? order <= 0 : order >= 0
}
