// How PostgreSQL compares and matches text under the collation "C".

/** By code points, which is the order of the bytes of UTF-8. */
export function compareText(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)]
  const common = Math.min(left.length, right.length)
  for (let i = 0; i < common; i++) {
    const difference = left[i]!.codePointAt(0)! - right[i]!.codePointAt(0)!
    if (difference !== 0) return Math.sign(difference)
  }
  return Math.sign(left.length - right.length)
}

export const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

const escaped = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/-]/u, '\\$&')

/** `LIKE`; `ILIKE` when `insensitive`. */
export function like(text: string, pattern: string, insensitive = false): boolean {
  const [subject, template] = insensitive ? [lowerAscii(text), lowerAscii(pattern)] : [text, pattern]
  const source: string[] = []
  const characters = Array.from(template)
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i]!
    if (character === '%') source.push('.*')
    else if (character === '_') source.push('.')
    else if (character === '\\') source.push(escaped(characters[++i] ?? ''))
    else source.push(escaped(character))
  }
  return new RegExp(`^${source.join('')}$`, 'su').test(subject)
}

/** `SIMILAR TO`, of patterns made of characters, `%`, `_`, `|`, `*`, `+`, `?`, groups and sets of letters. */
export function similar(text: string, pattern: string, insensitive = false): boolean {
  const [subject, template] = insensitive ? [lowerAscii(text), lowerAscii(pattern)] : [text, pattern]
  const source: string[] = []
  const characters = Array.from(template)
  let inSet = false
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i]!
    if (character === '[' || character === ']') inSet = character === '['
    if (character === '\\') source.push(escaped(characters[++i] ?? ''))
    else if ('[]()|*+?'.includes(character)) source.push(character)
    else if (character === '%' && !inSet) source.push('.*')
    else if (character === '_' && !inSet) source.push('.')
    else source.push(escaped(character))
  }
  return new RegExp(`^(?:${source.join('')})$`, 'su').test(subject)
}

/** `~`, of patterns that mean the same to JavaScript; `~*` when `insensitive`. */
export function regex(text: string, pattern: string, insensitive = false): boolean {
  const [subject, template] = insensitive ? [lowerAscii(text), lowerAscii(pattern)] : [text, pattern]
  return new RegExp(template, 'su').test(subject)
}
