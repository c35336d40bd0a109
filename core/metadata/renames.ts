// Following a rename through the tables of a draft: their own keys here, what facets keep in the facets.

import { current } from 'immer'
import { sameJson } from '../json/json.ts'
import { nameKey, type QualifiedName, sameName } from '../names/names.ts'
import type { MetadataDocument, TableEntry } from './document.ts'
import type { Model, TableModel } from './model.ts'
import type { Rename } from './objects.ts'
import { facetEntries, type MetadataRegistry } from './registry.ts'
import type { RenamePlace } from './slices.ts'
import { withColumnsRenamed } from './table-configuration.ts'

/** The renames of one operation, one after another. */
export class Renames {
  readonly #registry: MetadataRegistry
  readonly #draft: MetadataDocument
  readonly #model: Model
  /** Tables that were renamed so far: the key now -> the key in the model. */
  readonly #originals = new Map<string, string>()

  /** `model` shows the tables as they were before all of them. */
  constructor(registry: MetadataRegistry, draft: MetadataDocument, model: Model) {
    this.#registry = registry
    this.#draft = draft
    this.#model = model
  }

  follow(rename: Rename): void {
    // Entries are compared and copied as plain values: drafts of thousands of them would cost more than the rest.
    const tables = current(this.#draft.tables)
    for (const [i, entry] of tables.entries()) {
      const renamed = this.#renameEntry(entry, rename)
      if (!sameJson(entry, renamed)) this.#draft.tables[i] = renamed
    }
    if (rename.kind === 'table') {
      this.#originals.set(nameKey(rename.to), this.#original(rename.from))
      this.#originals.set(nameKey(rename.from), '')
    }
  }

  #original(name: QualifiedName): string {
    const key = nameKey(name)
    return this.#originals.get(key) ?? key
  }

  readonly #lookup = (name: QualifiedName): TableModel | undefined => this.#model.tables.get(this.#original(name))

  #renameEntry(entry: TableEntry, rename: Rename): TableEntry {
    const place: RenamePlace = { table: entry.table, lookup: this.#lookup }
    const lists = this.#registry.facets.flatMap((facet) => {
      const entries = facetEntries(entry, facet)
      if (!facet.rename || entries.length === 0) return []
      return [[facet.key, entries.map((each) => facet.rename?.(each, rename, place))]]
    })
    return { ...renameOwnKeys(entry, rename), ...Object.fromEntries(lists) }
  }
}

function renameOwnKeys(entry: TableEntry, rename: Rename): TableEntry {
  if (rename.kind === 'table') return sameName(entry.table, rename.from) ? { ...entry, table: rename.to } : entry
  const { configuration } = entry
  if (rename.kind === 'relationship' || !configuration || !sameName(entry.table, rename.table)) return entry
  const renamed = (column: string) => (column === rename.from ? rename.to : column)
  return { ...entry, configuration: withColumnsRenamed(configuration, renamed) }
}
