// SQL laid out for reading and comparing: clauses on lines of their own, parentheses indented. Only white space between
// tokens changes.

const width = 110

const token =
  /\s*((?:\bE)?'(?:[^'\\]|''|\\.)*'|"(?:[^"]|"")*"|\$\d+|[A-Za-z_][\w$]*|\d[\d.]*|::|\|\||[<>=!@#&|?~*+/^%-]+|.)(\s?)/gsu

/** A token, or the content of parentheses; `space` says whether white space follows. */
type Piece = { readonly text: string; readonly space: boolean; readonly inner?: readonly Piece[] }

/** Words that begin a line inside the parentheses that they stand in. */
const clause =
  /^(from|where|order by|group by|having|limit|offset|left join|cross join|inner join|join|union all|union|returning|set|values|on conflict|select|window)$/i

/** A statement in lines of about 110 characters. */
export function layoutSql(text: string): string {
  const pieces = [...text.trim().matchAll(token)].map(([, word = '', space = '']) => ({
    text: word,
    space: space !== '',
  }))
  return printLines(grouped(pieces), '').join('\n')
}

/** Combines parentheses with their content. */
function grouped(pieces: readonly Piece[]): Piece[] {
  const stack: { text: string; pieces: Piece[] }[] = [{ text: '', pieces: [] }]
  for (const piece of pieces) {
    const top = stack.at(-1)!
    if (piece.text === '(') stack.push({ text: '(', pieces: [] })
    else if (piece.text === ')' && stack.length > 1) {
      stack.pop()
      stack.at(-1)!.pieces.push({ text: '(', space: piece.space, inner: top.pieces })
    } else top.pieces.push(piece)
  }
  return stack[0]!.pieces
}

const flatPiece = ({ text, space, inner }: Piece): string => `${inner ? `(${flat(inner)})` : text}${space ? ' ' : ''}`

const flat = (pieces: readonly Piece[]): string => pieces.map(flatPiece).join('').trimEnd()

const fits = (pieces: readonly Piece[], indent: string): boolean => indent.length + flat(pieces).length <= width

function printLines(pieces: readonly Piece[], indent: string): string[] {
  if (fits(pieces, indent)) return [`${indent}${flat(pieces)}`]
  return cutBefore(pieces, (i) => i > 0 && isClause(pieces, i)).flatMap((line) => printClause(line, indent))
}

/** Words that open a clause may be two. */
function isClause(pieces: readonly Piece[], i: number): boolean {
  const word = (at: number): string => (pieces[at]?.inner ? '' : (pieces[at]?.text ?? ''))
  if (/^(by|join|all|conflict)$/i.test(word(i)) && clause.test(`${word(i - 1)} ${word(i)}`)) return false
  return clause.test(word(i)) || clause.test(`${word(i)} ${word(i + 1)}`)
}

/** The places where a clause that does not fit is cut, in this order: commas, concatenations, conditions. */
const cuts: readonly ((pieces: readonly Piece[], i: number) => boolean)[] = [
  (pieces, i) => pieces[i - 1]?.text === ',',
  // The key of a member stays with its value.
  (pieces, i) => pieces[i]!.text === '||' && pieces[i + 1]!.text.startsWith("'"),
  (pieces, i) => pieces[i]!.text === '||',
  (pieces, i) => /^(and|or)$/i.test(pieces[i]!.text),
]

/** One clause; a text that cannot be cut opens its parentheses. */
function printClause(pieces: readonly Piece[], indent: string): string[] {
  if (fits(pieces, indent)) return [`${indent}${flat(pieces)}`]
  const [first] = pieces
  for (const [which, cut] of cuts.entries()) {
    const parts = cutBefore(pieces, (i) => cut(pieces, i))
    if (parts.length === 1) continue
    // Arguments are on lines of their own, everything else below the clause that it continues.
    const rest = which === 0 && !clause.test(first!.text) ? indent : `${indent}  `
    return parts.flatMap((part, i) => printClause(part, i === 0 ? indent : rest))
  }
  return printGroups(pieces, indent)
}

/** Opens the parentheses of a line. */
function printGroups(pieces: readonly Piece[], indent: string): string[] {
  const lines: string[] = []
  let line = indent
  for (const piece of pieces) {
    if (!piece.inner || indent.length + flatPiece(piece).length <= 40) {
      line += flatPiece(piece)
      continue
    }
    lines.push(`${line}(`)
    lines.push(...printLines(piece.inner, `${indent}  `))
    line = `${indent})${piece.space ? ' ' : ''}`
  }
  if (line.trim() !== '') lines.push(line.trimEnd())
  return lines
}

function cutBefore(pieces: readonly Piece[], isCut: (i: number) => boolean): Piece[][] {
  const parts: Piece[][] = []
  for (const [i, piece] of pieces.entries()) {
    if (parts.length === 0 || isCut(i)) parts.push([])
    parts.at(-1)!.push(piece)
  }
  return parts
}
