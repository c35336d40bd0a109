// Fragments for selections that several types have in common. Without them, the text of nested interfaces would grow by the
// number of types with each level.

import type { GraphQLObjectType } from 'graphql'
import type { FieldSelection } from '../../../sdk/graphql.ts'
import { longestInline } from '../tuning.ts'
import type { AnswerMember, AnswerMembers, AnswerShape } from './answer-shape.ts'

/** A printed field without its response name, or the selection set of one. */
export interface WrittenField {
  readonly text: string
  /** The selection set at the end of the text; null for leaves. */
  readonly selection: SelectionText | null
  /** The shape of the field's value. */
  readonly shape: AnswerShape
}

/** A selection set, with the space before it. */
interface SelectionText {
  readonly text: string
  /** The type that it selects from, by the server's name. */
  readonly type: string
}

/** The fields that are selected from one object type. */
export interface SelectedPart {
  readonly object: GraphQLObjectType
  readonly fields: readonly FieldSelection[]
  /** The texts of the fields. */
  readonly written: readonly WrittenField[]
  /** The texts with response names. */
  readonly texts: readonly string[]
  /** The fields that relationships of its objects need. */
  readonly needed: readonly NeededField[]
}

/** A field that the client does not see. */
export interface NeededField {
  readonly name: string
  /** With its name. */
  readonly text: string
  readonly member: AnswerMember
}

/** The fragments of a text. */
export class RepeatedSelections {
  readonly definitions: string[] = []
  readonly #prefix: string

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** The parts, with fragments for repeated selections. Fields whose text is in `elsewhere` are printed elsewhere. */
  shortened(parts: readonly SelectedPart[], elsewhere: ReadonlySet<string>): readonly SelectedPart[] {
    const own = parts.flatMap(({ texts, written }) => written.filter((_, i) => !elsewhere.has(texts[i]!)))
    const spreads = this.#spreads(own)
    if (spreads.size === 0) return parts
    return parts.map((part): SelectedPart => {
      const shortened = (text: string, i: number): string => {
        const { selection, shape } = part.written[i]!
        const spread = elsewhere.has(part.texts[i]!) ? undefined : spreads.get(shape.members)
        return selection && spread ? `${text.slice(0, -selection.text.length)}${spread}` : text
      }
      const written = part.written.map((each, i) => ({ ...each, text: shortened(each.text, i) }))
      return { ...part, written, texts: part.texts.map(shortened) }
    })
  }

  /** The fragment spreads for repeated selections, by the members of their shapes. */
  #spreads(fields: readonly WrittenField[]): ReadonlyMap<AnswerMembers, string> {
    const met = new Set<AnswerMembers>()
    const spreads = new Map<AnswerMembers, string>()
    for (const { selection, shape } of fields) {
      if (!selection || selection.text.length <= longestInline) continue
      // Equal selections of several types share one members object.
      const { members } = shape
      if (met.has(members) && !spreads.has(members)) spreads.set(members, this.#define(selection))
      met.add(members)
    }
    return spreads
  }

  #define({ text, type }: SelectionText): string {
    const name = `${this.#prefix}${this.definitions.length}`
    this.definitions.push(`fragment ${name} on ${type}${text}`)
    return ` { ...${name} }`
  }
}
