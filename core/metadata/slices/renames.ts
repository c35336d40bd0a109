// Applies a rename to a draft: slices rewrite their own values, and facets their members of a table's entry.

import { current, isDraft } from 'immer'
import { deepFreeze, sameJson } from '../../json/json.ts'
import { nameKey, type QualifiedName } from '../../names/names.ts'
import type { MetadataDocument } from '../document/document.ts'
import type { Model, TableModel } from '../document/model.ts'
import type { Rename } from '../document/objects.ts'
import { type MetadataRegistry, setSliceValue, sliceValue } from './registry.ts'
import type { Slice, SliceRenamePlace } from './slices.ts'

/** The renames of one operation, in order. */
export class Renames {
  readonly #registry: MetadataRegistry
  readonly #draft: MetadataDocument
  readonly #model: Model
  /** Renamed tables: the current key -> the key in the model. */
  readonly #originals = new Map<string, string>()
  /** The inverse: the key in the model -> the current name. */
  readonly #names = new Map<string, QualifiedName>()
  /** Parts of the document as text. */
  readonly #texts = new WeakMap<object, string>()
  /** Tables that were looked up since the last table rename, by their key in the model. */
  readonly #seen = new Map<string, TableModel>()

  /** `model` holds the tables as they were before the first rename. */
  constructor(registry: MetadataRegistry, draft: MetadataDocument, model: Model) {
    this.#registry = registry
    this.#draft = draft
    this.#model = model
  }

  follow(rename: Rename): void {
    const place = { lookup: this.#lookup, facets: this.#registry.facetFormat }
    for (const slice of this.#registry.slices) this.#followIn(slice, rename, place)
    if (rename.kind === 'table') this.#remember(rename)
  }

  #remember({ from, to }: { readonly from: QualifiedName; readonly to: QualifiedName }): void {
    const original = this.#original(from)
    this.#originals.set(nameKey(to), original)
    this.#originals.set(nameKey(from), '')
    this.#names.set(original, to)
    this.#seen.clear()
  }

  #followIn(slice: Slice, rename: Rename, place: SliceRenamePlace): void {
    if (!slice.rename) return
    const inDraft = sliceValue(this.#draft, slice.key)
    // Entries are compared and copied as plain values: thousands of drafts would cost more than the rest of the rename.
    const value = isDraft(inDraft) ? current(inDraft as object) : inDraft
    const renamed = (part: unknown) => {
      if (!this.#mentions(part, rename)) return part
      const result = slice.rename?.(part, rename, place)
      // Frozen values are not copied again for the next rename.
      return sameJson(part, result) ? part : deepFreeze(result)
    }
    if (!slice.entryKey) {
      const result = renamed(value)
      if (result !== value) setSliceValue(this.#draft, slice.key, result)
      return
    }
    for (const [i, entry] of (value as readonly unknown[]).entries()) {
      const result = renamed(entry)
      if (result !== entry) (inDraft as unknown[])[i] = result
    }
  }

  /**
   * Whether the old name occurs anywhere in a part of the document. Most parts are skipped that way, for each of a
   * thousand renames.
   */
  #mentions(part: unknown, { kind, from }: Rename): boolean {
    if (typeof part !== 'object' || part === null) return false
    const text = this.#texts.get(part) ?? JSON.stringify(part)
    this.#texts.set(part, text)
    return text.includes(JSON.stringify(kind === 'table' ? from.name : from).slice(1, -1))
  }

  #original(name: QualifiedName): string {
    const key = nameKey(name)
    return this.#originals.get(key) ?? key
  }

  readonly #lookup = (name: QualifiedName): TableModel | undefined => {
    const key = this.#original(name)
    const table = this.#model.tables.get(key)
    if (!table || this.#names.size === 0) return table
    const known = this.#seen.get(key) ?? this.#asCalledNow(table, name)
    this.#seen.set(key, known)
    return known
  }

  /** A table whose relationships refer to other tables by the names that the renames so far gave them. */
  #asCalledNow(table: TableModel, name: QualifiedName): TableModel {
    const fields = [...table.fields].map(([member, field]) => {
      const target = field.kind === 'relationship' ? this.#names.get(nameKey(field.target)) : undefined
      return [member, field.kind === 'relationship' && target ? { ...field, target } : field] as const
    })
    return { ...table, name, fields: new Map(fields) }
  }
}
