// The statements of a script, and which of them control the transaction. PostgreSQL cannot be told to refuse or ignore
// those, and statements before one that ends the transaction would stay committed.

import { keptWords } from './tuning.ts'

/** The tokens of a script; those without a group are skipped. */
const tokens = [
  /(?<space>\s+|--[^\n\r]*)/,
  /(?<quote>[eE]?'|")/, // the beginning of a text or quoted name
  /(?<dollars>\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)/, // the beginning of a text between dollars
  /(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)/,
  /\$\d+|\d[\w.]*/, // parameter or number, whose letters are no words
  /(?<comment>\/\*)/,
  /(?<mark>[;(),])/,
  /[\s\S]/,
]

const token = new RegExp(tokens.map(({ source }) => source).join('|'), 'y')

/** The end of a quoted token: a doubled quotation mark stands for itself, and so does one after `\` in `E'...'`. */
function endOfText(text: string, start: number, opening: string): number {
  const quote = opening.at(-1)!
  const mark = opening.length > 1 ? /\\[\s\S]|''?/g : quote === '"' ? /""?/g : /''?/g
  mark.lastIndex = start + opening.length
  for (;;) {
    const found = mark.exec(text)
    if (!found) return text.length
    if (found[0] === quote) return mark.lastIndex
  }
}

/** The end of a comment; comments nest. */
function endOfComment(text: string, start: number): number {
  const mark = /\/\*|\*\//g
  mark.lastIndex = start
  for (let depth = 0; ; ) {
    const found = mark.exec(text)
    if (!found) return text.length
    depth += found[0] === '/*' ? 1 : -1
    if (depth === 0) return mark.lastIndex
  }
}

function endOfDollars(text: string, start: number, tag: string): number {
  const end = text.indexOf(tag, start + tag.length)
  return end < 0 ? text.length : end + tag.length
}

interface Token {
  /** A word in lower case, a mark, or null for other tokens such as constants. */
  readonly text: string | null
  readonly start: number
  readonly end: number
}

/** The tokens of a text without space and comments. */
function* tokensOf(text: string): Generator<Token> {
  for (let start = 0; start < text.length; ) {
    token.lastIndex = start
    const { 0: found, groups: { space, word, mark, comment, dollars, quote } = {} } = token.exec(text)!
    let end = start + found.length
    if (comment) end = endOfComment(text, start)
    else if (quote) end = endOfText(text, start, quote)
    else if (dollars) end = endOfDollars(text, start, dollars)
    if (!space && !comment) yield { text: (word ?? mark)?.toLowerCase() ?? null, start, end }
    start = end
  }
}

/** Follows `begin atomic ... end` in a routine's body, whose semicolons end no statement. */
class RoutineBody {
  depth = 0

  see(word: string, statement: readonly string[]): void {
    if (word === 'begin' && /^create (or replace )?(function|procedure)\b/.test(statement.join(' '))) this.depth++
    else if (word === 'case' && this.depth > 0) this.depth++
    else if (word === 'end' && this.depth > 0) this.depth--
  }
}

export interface Statement {
  /** Its first words, in lower case. */
  readonly words: readonly string[]
  /** Whether it consists of words and commas only. */
  readonly isPlain: boolean
  /** The start of its first token, and the end of its last one. */
  readonly start: number
  readonly end: number
}

const nothing: Statement = { words: [], isPlain: true, start: 0, end: 0 }

/** The statements of a text; empty ones have no words. */
export function* statements(text: string): Generator<Statement> {
  let words: string[] = []
  let current = nothing
  let body = new RoutineBody()
  let parentheses = 0
  for (const { text: found, start, end } of tokensOf(text)) {
    if (found === ';' && parentheses <= 0 && body.depth === 0) {
      yield { ...current, words }
      words = []
      current = nothing
      body = new RoutineBody()
      parentheses = 0
      continue
    }
    const isWord = found !== null && !/^[;(),]/.test(found)
    if (found === '(') parentheses++
    if (found === ')') parentheses--
    if (isWord) body.see(found, words)
    if (isWord && words.length < keptWords) words.push(found)
    const isPlain = current.isPlain && (isWord || found === ',')
    current = { words, isPlain, start: current.end === 0 ? start : current.start, end }
  }
  yield { ...current, words }
}

/** Statements that control a transaction, by effect. */
const forms = {
  begins: /^(begin( work| transaction)?|start transaction)\b/,
  commits: /^(commit|end)( work| transaction)?( and (no )?chain)?$/,
  ends: /^(rollback(?!( work| transaction)? (to|prepared)\b)|abort|prepare transaction)\b/,
} as const

const modes =
  /^( (isolation level (serializable|repeatable read|read committed|read uncommitted)|read (write|only)|(not )?deferrable))*$/

/** The effect of a statement on its transaction; null: none, or PostgreSQL refuses it. */
export function transactionCommand({ words, isPlain }: Statement): keyof typeof forms | null {
  const said = words.join(' ')
  if (forms.ends.test(said)) return 'ends'
  if (!isPlain) return null
  if (forms.commits.test(said)) return 'commits'
  return forms.begins.test(said) && modes.test(said.replace(forms.begins, '')) ? 'begins' : null
}

/** Whether a text has one of the words that every transaction statement contains. */
export const mayBeAboutTransaction = (text: string): boolean =>
  /begin|start|commit|end|rollback|abort|prepare/i.test(text)
