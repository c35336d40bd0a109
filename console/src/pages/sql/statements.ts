// Where the statements of an SQL text begin and end: quotes, dollar quotes and comments hide semicolons.

/** A part of a text. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Tokens that hide semicolons, and the semicolon itself. An unclosed one reaches to the end. */
const token =
  /--[^\n]*|\b[eE]'(?:[^'\\]|\\.|'')*(?:'|$)|'[^']*(?:'|$)|"[^"]*(?:"|$)|(?<![\w$])(\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)|\/\*|;/gs

/** The end of a comment, which may have others inside. */
function commentEnd(text: string, from: number): number {
  let depth = 1
  for (const { 0: mark, index } of text.slice(from).matchAll(/\/\*|\*\//g)) {
    depth += mark === '/*' ? 1 : -1
    if (depth === 0) return from + index + 2
  }
  return text.length
}

/** The statements of a text, without the white space around them. */
export function statementsIn(text: string): readonly Span[] {
  const ends: number[] = []
  token.lastIndex = 0
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [mark, dollar] = found
    if (mark === ';') ends.push(found.index)
    if (mark === '/*') token.lastIndex = commentEnd(text, token.lastIndex)
    if (dollar !== undefined) {
      const close = text.indexOf(dollar, token.lastIndex)
      token.lastIndex = close < 0 ? text.length : close + dollar.length
    }
  }
  const begins = [0, ...ends.map((end) => end + 1)]
  return begins.flatMap((begin, index) => {
    const part = text.slice(begin, ends[index] ?? text.length)
    if (part.trim() === '') return []
    const from = begin + part.length - part.trimStart().length
    return [{ from, to: from + part.trim().length }]
  })
}

/** The statement at a cursor: the one around it, else the one before it. */
export function statementAt(text: string, cursor: number): Span | null {
  const spans = statementsIn(text)
  return (
    spans.find(({ from, to }) => from <= cursor && cursor <= to + 1) ??
    spans.findLast(({ to }) => to < cursor) ??
    spans[0] ??
    null
  )
}

/** A text without the comments at its beginning. */
const withoutComments = (text: string): string => text.replace(/^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/, '')

const destroying =
  /\b(?:drop\s+(?:[a-z]+\s+)+(?:if\s+exists\s+)?|truncate\s+(?:table\s+)?(?:only\s+)?|delete\s+from\s+(?:only\s+)?)("[^"]+"|[\w$]+)(?:\.("[^"]+"|[\w$]+))?/i

/** The name of the first thing that a text drops, empties or deletes rows of; null: it destroys nothing. */
export function destroyedBy(text: string): string | null {
  const [, first, second] = destroying.exec(text) ?? []
  return (second ?? first)?.replaceAll('"', '') ?? null
}

/** Whether PostgreSQL explains a statement. */
export const isExplainable = (statement: string): boolean =>
  /^\(*\s*(?:select|with|values|table|insert|update|delete|merge)\b/i.test(withoutComments(statement))

/** The index in a text of a position that PostgreSQL counts in characters from 1. */
export function indexOfPosition(text: string, position: number): number {
  let index = 0
  for (let left = position - 1; left > 0 && index < text.length; left -= 1) {
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1
  }
  return index
}
