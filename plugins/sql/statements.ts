// Where the statements of a text begin, and which of them would end the transaction that the text runs in. PostgreSQL
// cannot be told to refuse those, and what came before them would stay.

/** What the text is made of; what has no group is of no interest. */
const tokens = [
  /\s+|--[^\n]*/, // space
  /(?<quote>[eE]?'|")/, // the beginning of a text or quoted name
  /(?<dollars>\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)/, // the beginning of a text between dollars
  /(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)/,
  /\$\d+|\d[\w.]*/, // parameter or number, whose letters are no words
  /(?<comment>\/\*)/,
  /(?<mark>[;()])/,
  /[\s\S]/,
]

const token = new RegExp(tokens.map(({ source }) => source).join('|'), 'y')

/** The end of what a quotation mark begins: doubled it stands for itself, and so it does after `\` in `E'...'`. */
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

/** The end of a comment, which may hold others. */
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

/** The words, in lower case, and the semicolons and parentheses of a text, outside of comments and quotes. */
function* plainTokens(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    token.lastIndex = at
    const { 0: found, groups: { word, mark, comment, dollars, quote } = {} } = token.exec(text)!
    if (word ?? mark) yield (word ?? mark)!.toLowerCase()
    if (comment) at = endOfComment(text, at)
    else if (quote) at = endOfText(text, at, quote)
    else if (dollars) at = endOfDollars(text, at, dollars)
    else at += found.length
  }
}

/** Follows `begin atomic ... end` in the body of a routine, whose semicolons end no statement. */
class RoutineBody {
  depth = 0

  see(word: string, statement: readonly string[]): void {
    if (word === 'begin' && /^create (or replace )?(function|procedure)\b/.test(statement.join(' '))) this.depth++
    else if (word === 'case' && this.depth > 0) this.depth++
    else if (word === 'end' && this.depth > 0) this.depth--
  }
}

/** As many words as it takes to tell what a statement does. */
const opening = 4

/** The first words of each statement. */
export function* statements(text: string): Generator<readonly string[]> {
  let words: string[] = []
  let body = new RoutineBody()
  let parentheses = 0
  for (const each of plainTokens(text)) {
    if (each === '(') parentheses++
    if (each === ')') parentheses--
    if (!/^[;()]/.test(each)) {
      body.see(each, words)
      if (words.length < opening) words.push(each)
    }
    if (each !== ';' || parentheses > 0 || body.depth > 0) continue
    yield words
    words = []
    body = new RoutineBody()
    parentheses = 0
  }
  yield words
}

function endsTransaction([first, ...rest]: readonly string[]): boolean {
  if (first === 'prepare') return rest[0] === 'transaction'
  if (first === 'rollback') return !rest.slice(0, 2).includes('to')
  return first === 'commit' || first === 'end' || first === 'abort'
}

/** Whether a statement of the text commits or rolls back. */
export function hasTransactionEnd(text: string): boolean {
  if (!/commit|end|rollback|abort|prepare/i.test(text)) return false
  for (const words of statements(text)) if (endsTransaction(words)) return true
  return false
}
