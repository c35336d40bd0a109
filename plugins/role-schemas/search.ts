// Searching the names of a schema. Names that begin with the text come first, then those that contain it, and then
// descriptions.

import type { Steps } from '../../sdk/services.ts'
import { coordinateOf, linesIn, type SchemaIndex } from './schema-index.ts'

/** Something with a name that matches. */
export interface Match {
  /** Its schema coordinate: `artist`, `artist.albums` or `artist.albums(where:)`. */
  readonly path: string
  readonly kind: 'type' | 'field' | 'argument'
  readonly name: string
  /** The type of a field or argument; of a type its kind, such as `input object`. Null for a value of an enum. */
  readonly type: string | null
  readonly description: string | null
}

interface Ranked extends Match {
  readonly rank: number
}

const kinds: readonly Match['kind'][] = ['type', 'field', 'argument']

/** How well a name or description matches, the best first; null: not at all. */
function rankOf(name: string, description: string | null, text: string): number | null {
  const lower = name.toLowerCase()
  if (lower === text) return 0
  if (lower.startsWith(text)) return 1
  if (lower.includes(text)) return 2
  return description?.toLowerCase().includes(text) ? 3 : null
}

const inOrder = (a: Ranked, b: Ranked): number =>
  a.rank - b.rank ||
  kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
  a.name.length - b.name.length ||
  (a.path < b.path ? -1 : 1)

/** The best matches, and whether there are more. */
export function* searchIndex(
  { types }: SchemaIndex,
  { text: given, limit }: { readonly text: string; readonly limit: number },
): Steps<{ readonly matches: readonly Match[]; readonly hasMore: boolean }> {
  const text = given.toLowerCase()
  let best: Ranked[] = []
  let count = 0
  const add = function* (matches: readonly Ranked[]): Steps<void> {
    best.push(...matches)
    count += matches.length
    // Few of many matches are kept.
    if (best.length > 4 * limit) best = best.sort(inOrder).slice(0, limit)
    yield
  }
  for (const type of types) {
    const { name, kind, description } = type
    yield* add(ranked([{ path: name, kind: 'type', name, type: kind, description }], text))
    for (const part of type.parts) yield* add(matchesIn(part, name, text))
  }
  const matches = best.sort(inOrder).slice(0, limit)
  return { matches: matches.map(({ rank: _, ...match }) => match), hasMore: count > matches.length }
}

const ranked = (matches: readonly Match[], text: string): Ranked[] =>
  matches.flatMap((match) => {
    const rank = rankOf(match.name, match.description, text)
    return rank === null ? [] : { ...match, rank }
  })

function matchesIn(part: string, owner: string, text: string): Ranked[] {
  // Most parts have nothing that matches. Descriptions are escaped there.
  if (!part.toLowerCase().includes(JSON.stringify(text).slice(1, -1))) return []
  const matches = linesIn(part).map((line): Match => {
    const isArgument = line.argument !== ''
    return {
      path: coordinateOf(owner, line),
      kind: isArgument ? 'argument' : 'field',
      name: isArgument ? line.argument : line.member,
      type: line.type === '' ? null : line.type,
      description: line.description,
    }
  })
  return ranked(matches, text)
}
