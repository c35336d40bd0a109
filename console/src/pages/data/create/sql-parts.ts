// Parts of SQL that a person types into a field: types and expressions. A part that would end its place is refused.

const identifier = String.raw`(?:"(?:[^"]|"")+"|[\p{L}_][\p{L}\d_$]*)`
/** The words of types that have several, as `timestamp with time zone` and `interval year to month`. */
const word = '(?:varying|precision|with|without|time|zone|year|month|day|hour|minute|second|to|character|char)'
const arguments_ = String.raw`\(\s*[\w.+-]+(?:\s*,\s*[\w.+-]+)*\s*\)`
const typePattern = new RegExp(
  String.raw`^${identifier}(?:\s*\.\s*${identifier})?(?:\s+${word})*(?:\s*${arguments_})?(?:\s+${word})*(?:\s+array)?(?:\s*\[\s*\d*\s*\])*$`,
  'iu',
)

/** Whether a text has the form of a type. Whether the database has it, PostgreSQL says. */
export const isType = (text: string): boolean => typePattern.test(text.trim())

/** Texts, also with escapes, names, beginnings of comments, and all other signs. */
const tokens = /(?<![\w$])e'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([\p{L}_]*)\$.*?\$\1\$|--|\/\*|./gisu

/** The fault of a text in the place of one expression; null: its quotes, brackets and ends are right. */
export function expressionFault(text: string): string | null {
  const open: string[] = []
  for (const [token] of text.matchAll(tokens)) {
    if (token === "'" || token === '"') return 'A quote is not closed.'
    if (token === '--' || token === '/*') return 'Comments have no place here.'
    if (token === ';') return 'One expression ends without a semicolon.'
    if (token === '(' || token === '[') open.push(token)
    if ((token === ')' && open.pop() !== '(') || (token === ']' && open.pop() !== '['))
      return 'A bracket was not opened.'
    if (token === ',' && open.length === 0) return 'One expression has no comma outside of brackets.'
  }
  return open.length > 0 ? 'A bracket is not closed.' : null
}

/** The words that are expressions by themselves. */
const wholeWords =
  /^(?:true|false|null|current_(?:catalog|date|role|schema|time|timestamp|user)|local(?:time|timestamp)|session_user|system_user|user)$/i

/** Whether a text is a word alone, which SQL takes for the name of a column. */
export const isBareWord = (text: string): boolean => /^[\p{L}_][\p{L}\d_-]*$/u.test(text) && !wholeWords.test(text)
