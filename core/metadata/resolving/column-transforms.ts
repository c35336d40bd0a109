// The column transformations of all plugins, and which column each of them transforms.

import type { CatalogColumn } from '../../catalog/types.ts'
import { requireFragment } from '../../database/sql/sql.ts'
import { TrellisError } from '../../errors/errors.ts'
import { requireReturn } from '../../errors/returned.ts'
import { messageOf } from '../../errors/thrown.ts'
import { nameText, type QualifiedName } from '../../names/names.ts'
import type { ColumnPlace, ColumnReader, ColumnReading, ColumnTransform } from '../document/model.ts'

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
    this.#all.push({ transform: withNamedErrors(transform, owner), owner })
  }

  /** The transformation of a column. */
  of(table: QualifiedName, column: CatalogColumn): FoundTransform {
    const found: OwnedTransform[] = []
    for (const each of this.#all) {
      try {
        const applies = each.transform.applies(table, column)
        if (requireReturn('applies', 'true or false', applies, applies !== undefined)) found.push(each)
      } catch (error) {
        const { name } = each.transform
        return {
          reason: `the transformation "${name}" of plugin "${each.owner}" failed for the column "${column.name}": ${messageOf(error)}`,
        }
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

/** The transformation with errors that name it and its plugin. A `TrellisError` is for the client, and stays. */
function withNamedErrors(transform: ColumnTransform, owner: string): ColumnTransform {
  const attempt = <Result>({ table, column }: ColumnPlace, work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      if (error instanceof TrellisError) throw error
      const place = `the column "${column}" of table "${nameText(table)}"`
      const whose = `the transformation "${transform.name}" of plugin "${owner}"`
      throw new Error(`${whose} failed for ${place}: ${messageOf(error)}`, { cause: error })
    }
  }
  const text = (value: string): string => {
    if (typeof value === 'string') return value
    throw new Error(`the result must be a string, but is of type ${typeof value}`)
  }
  return {
    name: transform.name,
    applies: (table, column) => transform.applies(table, column),
    read(reader) {
      const place = { table: reader.table.name, column: reader.column.name }
      const reading = attempt(place, () => checkedReading(transform, reader))
      if (typeof reading !== 'object' || !('sql' in reading)) return reading
      return { ...reading, sql: (value) => attempt(place, () => requireFragment(reading.sql(value))) }
    },
    ...(transform.write && {
      write: (given, place) => attempt(place, () => text(transform.write!(given, place))),
    }),
    ...(transform.compareAs && {
      compareAs: (given, place) => attempt(place, () => text(transform.compareAs!(given, place))),
    }),
  }
}

/** The form in which a role reads a column; throws where the column cannot have this form. */
function checkedReading(transform: ColumnTransform, reader: ColumnReader): ColumnReading {
  const { column } = reader
  const reading = transform.read(reader)
  const isForm = typeof reading === 'object' && reading !== null && ('sql' in reading || 'value' in reading)
  requireReturn('read', 'a form of reading', reading, isForm || reading === 'stored' || reading === 'hidden')
  if (isForm && 'value' in reading && !isTextColumn(column.column)) {
    throw new Error(`it reads texts, but the column is of type "${column.type.name}"`)
  }
  if (isForm && reading.comparable === true && transform.write && !transform.compareAs) {
    throw new Error('a comparable column with "write" needs "compareAs"')
  }
  return reading
}

const conflict = ({ name }: CatalogColumn, ...[first, second]: readonly [OwnedTransform, OwnedTransform]): string => {
  const [one, other] = [first, second].map(({ transform, owner }) => `"${transform.name}" of the plugin "${owner}"`)
  return `the column "${name}" has two transformations: ${one} and ${other}`
}
