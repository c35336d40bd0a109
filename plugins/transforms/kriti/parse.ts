// Parses Kriti templates: JSON with `{{ ... }}` as values and within texts.

import { parseJson } from '../../../sdk/services.ts'
import { mostTemplateCharacters, mostTemplateLevels } from '../tuning.ts'
import { Scanner } from './scanner.ts'
import { type Expression, type Operator, type Step, type Template, TemplateSyntaxError } from './syntax.ts'

/** Parses a template whose value is JSON; throws {@link TemplateSyntaxError}. */
export function parseTemplate(text: string): Template {
  const parser = new TemplateParser(text)
  return { text, root: parser.whole() }
}

/** Parses a template of plain text, such as a URL or a header. */
export function parseTextTemplate(text: string): Template {
  const parser = new TemplateParser(text)
  return { text, root: parser.plainText() }
}

/** Operators from the weakest to the strongest; those of one row are read from left to right. */
const precedence: readonly (readonly Operator[])[] = [['??'], ['||'], ['&&'], ['==', '!=', '<=', '>=', '<', '>', 'in']]

const keywords: ReadonlySet<string> = new Set(['if', 'elif', 'else', 'end', 'range', 'in', 'true', 'false', 'null'])

const constants: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  '{': '{',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

class TemplateParser {
  readonly #scanner: Scanner
  #levels = 0

  constructor(text: string) {
    if (text.length > mostTemplateCharacters) {
      throw new TemplateSyntaxError(`The template has more than ${mostTemplateCharacters} characters.`)
    }
    this.#scanner = new Scanner(text)
  }

  whole(): Expression {
    const root = this.#value()
    this.#scanner.skipSpace()
    if (!this.#scanner.isAtEnd) throw this.#scanner.unexpected()
    return root
  }

  plainText(): Expression {
    return this.#text(null)
  }

  /** A value of the JSON around expressions. */
  #value(): Expression {
    const scanner = this.#scanner
    scanner.skipSpace()
    return this.#nested(() => {
      if (scanner.take('{{')) return this.#block()
      return this.#literal(() => this.#value()) ?? this.#fail()
    })
  }

  /** A literal whose items are read by `inner`; null if the text goes on in another way. */
  #literal(inner: () => Expression): Expression | null {
    const scanner = this.#scanner
    const start = scanner.offset
    if (scanner.take('"')) return this.#text('"', start)
    if (scanner.sees('{') && !scanner.sees('{{')) return this.#object(inner)
    if (scanner.take('[')) {
      const items: Expression[] = []
      this.#separated(']', () => items.push(inner()))
      return { kind: 'list', items, start, end: scanner.offset }
    }
    const word = scanner.peekWord()
    if (word !== null && constants.has(word)) {
      scanner.takeWord()
      return { kind: 'constant', value: constants.get(word), start, end: scanner.offset }
    }
    const number = scanner.takeNumber()
    return number === null
      ? null
      : { kind: 'constant', value: parseJson(number, 'lossless'), start, end: scanner.offset }
  }

  #object(inner: () => Expression): Expression {
    const scanner = this.#scanner
    const start = scanner.offset
    scanner.expect('{')
    const members: (readonly [Expression, Expression])[] = []
    this.#separated('}', () => {
      const from = scanner.offset
      if (!scanner.take('"')) throw scanner.unexpected()
      const key = this.#text('"', from)
      scanner.expect(':')
      scanner.skipSpace()
      members.push([key, inner()])
    })
    return { kind: 'object', members, start, end: scanner.offset }
  }

  /** Reads items between commas up to the closing bracket. */
  #separated(close: string, item: () => void): void {
    const scanner = this.#scanner
    scanner.skipSpace()
    if (scanner.take(close)) return
    for (;;) {
      scanner.skipSpace()
      item()
      scanner.skipSpace()
      if (scanner.take(close)) return
      if (!scanner.take(',')) throw scanner.unexpected()
    }
  }

  /** A text up to its quote, which has been opened; `null`: all of the template, in which nothing is escaped. */
  #text(quote: '"' | "'" | null, start = this.#scanner.offset): Expression {
    const scanner = this.#scanner
    const parts: (string | Expression)[] = []
    let plain = ''
    while (quote === null ? !scanner.isAtEnd : !scanner.take(quote)) {
      if (quote !== "'" && scanner.take('{{')) {
        if (plain !== '') parts.push(plain)
        plain = ''
        parts.push(this.#nested(() => this.#expression()))
        scanner.expect('}}')
      } else {
        const character = scanner.takeCharacter()
        plain += character === '\\' && quote !== null ? this.#escape() : character
      }
    }
    if (plain !== '') parts.push(plain)
    const end = scanner.offset
    const [first = '', ...others] = parts
    if (typeof first === 'string' && others.length === 0) return { kind: 'constant', value: first, start, end }
    return { kind: 'text', parts, start, end }
  }

  #escape(): string {
    const scanner = this.#scanner
    const character = scanner.takeCharacter()
    if (character !== 'u') return escapes[character] ?? this.#fail()
    const digits = Array.from({ length: 4 }, () => scanner.takeCharacter()).join('')
    if (!/^[\dA-Fa-f]{4}$/.test(digits)) throw new TemplateSyntaxError(`Unexpected token '\\u${digits}'.`)
    return String.fromCharCode(Number.parseInt(digits, 16))
  }

  /** The inside of `{{ }}` where a value is expected; its opening braces have been read. */
  #block(): Expression {
    const scanner = this.#scanner
    const start = scanner.offset - 2
    scanner.skipSpace()
    const word = scanner.peekWord()
    if (word === 'if') return this.#conditional(start)
    if (word === 'range') return this.#loop(start)
    const inside = this.#expression()
    scanner.expect('}}')
    return inside
  }

  #conditional(start: number): Expression {
    const branches: (readonly [Expression, Expression])[] = []
    do {
      this.#scanner.takeWord()
      const condition = this.#expression()
      this.#scanner.expect('}}')
      branches.push([condition, this.#value()])
      this.#scanner.expect('{{')
      this.#scanner.skipSpace()
    } while (this.#scanner.peekWord() === 'elif')
    this.#keyword('else')
    this.#scanner.expect('}}')
    const otherwise = this.#value()
    this.#end()
    return { kind: 'if', branches, otherwise, start, end: this.#scanner.offset }
  }

  #loop(start: number): Expression {
    const scanner = this.#scanner
    scanner.takeWord()
    const index = this.#name()
    scanner.expect(',')
    const item = this.#name()
    scanner.expect(':=')
    const list = this.#expression()
    scanner.expect('}}')
    const body = this.#value()
    this.#end()
    return { kind: 'range', index, item, list, body, start, end: scanner.offset }
  }

  #end(): void {
    this.#scanner.expect('{{')
    this.#keyword('end')
    this.#scanner.expect('}}')
  }

  #keyword(word: string): void {
    this.#scanner.skipSpace()
    if (this.#scanner.peekWord() !== word) throw this.#scanner.unexpected()
    this.#scanner.takeWord()
  }

  #name(): string {
    this.#scanner.skipSpace()
    const word = this.#scanner.peekWord()
    if (word === null || keywords.has(word)) throw this.#scanner.unexpected()
    this.#scanner.takeWord()
    return word
  }

  #expression(level = 0): Expression {
    const operators = precedence[level]
    if (!operators) return this.#operand()
    let left = this.#expression(level + 1)
    for (;;) {
      const operator = this.#operator(operators)
      if (operator === null) return left
      const right = this.#expression(level + 1)
      left = { kind: 'operation', operator, left, right, start: left.start, end: right.end }
    }
  }

  #operator(operators: readonly Operator[]): Operator | null {
    const scanner = this.#scanner
    scanner.skipSpace()
    const found = operators.find((each) => (each === 'in' ? scanner.peekWord() === each : scanner.sees(each)))
    if (found === undefined) return null
    scanner.take(found)
    return found
  }

  #operand(): Expression {
    const scanner = this.#scanner
    scanner.skipSpace()
    return this.#nested(() => {
      const start = scanner.offset
      if (scanner.take('(')) {
        const inside = this.#expression()
        scanner.expect(')')
        return inside
      }
      if (scanner.take("'")) return this.#text("'", start)
      const literal = this.#literal(() => this.#expression())
      if (literal) return literal
      const name = this.#name()
      return (
        this.#argument(name, start) ?? { kind: 'path', variable: name, steps: this.#steps(), ...this.#since(start) }
      )
    })
  }

  /** A call of a function: a name followed by an operand. */
  #argument(name: string, start: number): Expression | null {
    const scanner = this.#scanner
    const after = scanner.offset
    scanner.skipSpace()
    const word = scanner.peekWord()
    const isPath = scanner.offset === after && scanner.sees('[')
    const isCall =
      !isPath && (word === null ? /["'([{\d-]/.test(scanner.text[scanner.offset] ?? '') : !isOperator(word))
    if (!isCall || scanner.sees('{{')) {
      scanner.offset = after
      return null
    }
    const argument = this.#operand()
    return { kind: 'call', name, argument, ...this.#since(start) }
  }

  #steps(): Step[] {
    const scanner = this.#scanner
    const steps: Step[] = []
    for (;;) {
      const isOptional = scanner.sees('?') && !scanner.sees('??') && scanner.take('?')
      if (scanner.take('.') && !scanner.sees('[')) {
        const key = scanner.takeWord()
        if (key === null) throw scanner.unexpected()
        steps.push({ key, isOptional })
      } else if (scanner.take('[')) steps.push({ key: this.#index(), isOptional })
      else if (isOptional) throw scanner.unexpected()
      else return steps
    }
  }

  #index(): string | number {
    const scanner = this.#scanner
    scanner.skipSpace()
    const start = scanner.offset
    const quote = scanner.take("'") ? "'" : scanner.take('"') ? '"' : null
    const inside = quote === null ? null : this.#text(quote, start)
    const key = inside ? (inside.kind === 'constant' ? String(inside.value) : null) : Number(scanner.takeNumber() ?? -1)
    if (key === null || (typeof key === 'number' && !(Number.isInteger(key) && key >= 0))) {
      scanner.offset = start
      throw scanner.unexpected()
    }
    scanner.expect(']')
    return key
  }

  #since(start: number) {
    return { start, end: this.#scanner.offset }
  }

  /** Limits how deep values lie in each other, since reading and evaluating them is recursive. */
  #nested<T>(read: () => T): T {
    if (++this.#levels > mostTemplateLevels) {
      throw new TemplateSyntaxError(`The template is nested more than ${mostTemplateLevels} levels deep.`)
    }
    const value = read()
    this.#levels--
    return value
  }

  #fail(): never {
    throw this.#scanner.unexpected()
  }
}

const isOperator = (word: string): boolean => word === 'in'
