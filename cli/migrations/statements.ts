// Divides a text of SQL into statements.

/** A statement, and the line of its first word. */
export interface Statement {
  readonly sql: string
  readonly line: number
}

/** Comments, quoted texts and names, texts in dollars, and the end of a statement. */
const token =
  /--[^\n]*|\/\*|\b[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([\p{L}_][\p{L}\p{N}_]*)?\$|;|[\p{L}\p{N}_$]+/gsu

/** The statements of a text, without those that are only comments. Bodies in `begin atomic` are not divided. */
export function statementsOf(text: string): readonly Statement[] {
  const statements: Statement[] = []
  let start = 0
  /** The place of the first word; null while there are only comments. */
  let first: number | null = null
  const add = (end: number) => {
    if (first !== null) statements.push({ sql: text.slice(start, end), line: lineOf(text, first) })
    start = end + 1
    first = null
  }
  let depth = 0
  token.lastIndex = 0
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [found] = match
    if (found === ';') {
      if (depth === 0) add(match.index)
    } else if (found === '/*') token.lastIndex = endOfComment(text, match.index)
    else if (!found.startsWith('--')) {
      first ??= match.index
      if (found.endsWith('$') && found.startsWith('$')) {
        const end = text.indexOf(found, token.lastIndex)
        token.lastIndex = end < 0 ? text.length : end + found.length
      }
      depth = depthAfter(depth, found, text.slice(0, match.index))
    }
  }
  add(text.length)
  return statements
}

/** Levels of `begin atomic` and `case` inside of it, which `end` closes. */
function depthAfter(depth: number, word: string, before: string): number {
  const lower = word.toLowerCase()
  if (lower === 'atomic' && /\bbegin\s+$/i.test(before)) return depth + 1
  if (depth === 0) return 0
  if (lower === 'case') return depth + 1
  return lower === 'end' ? depth - 1 : depth
}

/** Comments nest in PostgreSQL. */
function endOfComment(text: string, start: number): number {
  const marks = /\/\*|\*\//g
  marks.lastIndex = start
  let depth = 0
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    depth += mark[0] === '/*' ? 1 : -1
    if (depth === 0) return marks.lastIndex
  }
  return text.length
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length
