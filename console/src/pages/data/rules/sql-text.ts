// The condition in the SQL of a query, in lines.

/** Texts and names in quotes, which words are not looked for in. */
const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[()]| (?:and|or) | where /g

/** The condition on the rows of the first table; null: the query has no condition. */
export function conditionIn(sql: string): string | null {
  token.lastIndex = 0
  let depth = 0
  for (let found = token.exec(sql); found; found = token.exec(sql)) {
    const [text] = found
    depth += text === '(' ? 1 : text === ')' ? -1 : 0
    if (text === ' where ' && depth === 0) return sql.slice(token.lastIndex)
  }
  return null
}

/** Parentheses in which lines are broken: deeper ones stay in their line. */
const deepest = 3

/** The same text with a line for each condition. */
export function brokenLines(sql: string): string {
  let depth = 0
  return sql.replaceAll(token, (text) => {
    depth += text === '(' ? 1 : text === ')' ? -1 : 0
    return /^ (?:and|or) $/.test(text) && depth <= deepest ? `\n${'  '.repeat(depth + 1)}${text.trimStart()}` : text
  })
}
