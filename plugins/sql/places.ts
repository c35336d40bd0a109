// Positions in a text, as people and editors count them.

export interface Place {
  /** Both count from 1, the column in characters. */
  readonly line: number
  readonly column: number
}

/** The line and column at an index. */
export function placeOf(text: string, index: number): Place {
  const before = text.slice(0, index)
  const lineStart = before.lastIndexOf('\n') + 1
  let line = 1
  for (let at = before.indexOf('\n'); at >= 0; at = before.indexOf('\n', at + 1)) line++
  return { line, column: [...before.slice(lineStart)].length + 1 }
}

/** The index of a character's number; PostgreSQL counts characters from 1, JavaScript counts code units from 0. */
export function indexOfCharacter(text: string, number: number): number {
  let index = 0
  for (let i = 1; i < number && index < text.length; i++) index += text.codePointAt(index)! > 0xffff ? 2 : 1
  return index
}
