// The column transformations of all plugins, and which column each of them transforms.

import type { CatalogColumn } from '../../catalog/types.ts'
import { messageOf } from '../../errors/thrown.ts'
import type { QualifiedName } from '../../names/names.ts'
import type { ColumnTransform } from '../document/model.ts'

/** A transformation and the plugin that declared it. */
interface OwnedTransform {
  readonly transform: ColumnTransform
  readonly owner: string
}

/** The types whose values are texts, which functions of JavaScript may replace. */
const textTypes = new Set(['text', 'varchar', 'bpchar', 'citext'])

export const isTextColumn = ({ type }: Pick<CatalogColumn, 'type'>): boolean =>
  textTypes.has(type.name) && !type.isArray && type.kind === 'b'

/** The transformation of a column, if any, or the reason why there can be none. */
export type FoundTransform = { readonly transform: ColumnTransform | null } | { readonly reason: string }

export class ColumnTransforms {
  readonly #all: OwnedTransform[] = []

  /** Adds a transformation of a plugin; its name must be new. */
  add(transform: ColumnTransform, owner: string): void {
    const { name } = transform
    const other = this.#all.find((each) => each.transform.name === name)
    if (other) {
      throw new Error(`the column transformation "${name}" is already declared by the plugin "${other.owner}"`)
    }
    this.#all.push({ transform, owner })
  }

  /** The transformation of a column. */
  of(table: QualifiedName, column: CatalogColumn): FoundTransform {
    const found: OwnedTransform[] = []
    for (const each of this.#all) {
      try {
        if (each.transform.applies(table, column)) found.push(each)
      } catch (error) {
        const { name } = each.transform
        return { reason: `the transformation "${name}" failed for the column "${column.name}": ${messageOf(error)}` }
      }
    }
    const [first, second] = found
    if (first && second) return { reason: conflict(column, first, second) }
    const transform = first?.transform ?? null
    if (transform && (transform.write || transform.compareAs) && !isTextColumn(column)) {
      const type = `the column "${column.name}" is of type "${column.type.name}"`
      return { reason: `${type}, but the transformation "${transform.name}" writes texts` }
    }
    return { transform }
  }
}

const conflict = ({ name }: CatalogColumn, ...[first, second]: readonly [OwnedTransform, OwnedTransform]): string => {
  const [one, other] = [first, second].map(({ transform, owner }) => `"${transform.name}" of the plugin "${owner}"`)
  return `the column "${name}" has two transformations: ${one} and ${other}`
}
