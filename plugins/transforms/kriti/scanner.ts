// Reads the text of a template from left to right.

import { longestQuote } from '../tuning.ts'
import { TemplateSyntaxError } from './syntax.ts'

const space = /[ \t\r\n]*/y
const word = /[A-Za-z_$][\w$-]*/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** A piece of the text as an error quotes it. */
const token = /[A-Za-z_$][\w$-]*|-?\d[\w.+-]*|\{\{|\}\}|:=|==|!=|<=|>=|&&|\|\||\?\?|[\s\S]/y

export class Scanner {
  readonly text: string
  offset = 0

  constructor(text: string) {
    this.text = text
  }

  get isAtEnd(): boolean {
    return this.offset >= this.text.length
  }

  skipSpace(): void {
    this.#match(space)
  }

  /** Whether the text goes on like this; nothing is read. */
  sees(start: string): boolean {
    return this.text.startsWith(start, this.offset)
  }

  /** Reads the text if it goes on like this. */
  take(start: string): boolean {
    if (!this.sees(start)) return false
    this.offset += start.length
    return true
  }

  /** Reads the text after white space; throws if it goes on in another way. */
  expect(start: string): void {
    this.skipSpace()
    if (!this.take(start)) throw this.unexpected()
  }

  /** The word at this place, which is not read; null without one. */
  peekWord(): string | null {
    word.lastIndex = this.offset
    return word.exec(this.text)?.[0] ?? null
  }

  takeWord(): string | null {
    return this.#match(word)
  }

  takeNumber(): string | null {
    return this.#match(number)
  }

  /** One character; throws at the end. */
  takeCharacter(): string {
    if (this.isAtEnd) throw this.unexpected()
    return this.text[this.offset++]!
  }

  /** The error for the text at this place. */
  unexpected(): TemplateSyntaxError {
    if (this.isAtEnd) return new TemplateSyntaxError('Unexpected end of the template.')
    token.lastIndex = this.offset
    const [found] = token.exec(this.text)!
    return new TemplateSyntaxError(`Unexpected token '${found.slice(0, longestQuote)}'.`)
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.offset
    const found = pattern.exec(this.text)?.[0] ?? null
    if (found !== null) this.offset += found.length
    return found
  }
}
