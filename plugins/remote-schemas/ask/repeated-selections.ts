// Selections that several types have in common: written out for each of them, those of an interface within an interface would
// be the longer the more types there are, with each level anew.

import type { GraphQLObjectType } from 'graphql'
import type { FieldSelection } from '../../../sdk/graphql.ts'
import type { AnswerMembers, AnswerShape } from './answer-shape.ts'

/** A field as it is asked for, without a response name, or the selection set of one. */
export interface WrittenField {
  readonly text: string
  /** What the text ends with, if anything is selected of the field. */
  readonly selection: SelectionText | null
  /** What the field gives. */
  readonly shape: AnswerShape
}

/** A selection set, behind a blank. */
interface SelectionText {
  readonly text: string
  /** The type that it stands on, as the server calls it. */
  readonly type: string
}

/** What is selected of the values of one object type. */
export interface SelectedPart {
  readonly object: GraphQLObjectType
  readonly fields: readonly FieldSelection[]
  /** Of the fields. */
  readonly written: readonly WrittenField[]
  /** The same with response names. */
  readonly texts: readonly string[]
}

/** Characters up to which a selection is repeated: servers are faster without a fragment. */
export const longestInline = 60

/** The fragments of a text. */
export class RepeatedSelections {
  readonly definitions: string[] = []
  readonly #prefix: string

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** The parts with fragments in place of what several of them select alike; fields of these texts are written elsewhere. */
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

  /** What stands in the places of selections that are there more than once, by their members. */
  #spreads(fields: readonly WrittenField[]): ReadonlyMap<AnswerMembers, string> {
    const met = new Set<AnswerMembers>()
    const spreads = new Map<AnswerMembers, string>()
    for (const { selection, shape } of fields) {
      if (!selection || selection.text.length <= longestInline) continue
      // Fields of several types that select the same have it written once.
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
