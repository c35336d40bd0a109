// The cohorts of a group by the values that rows must have to matter to them. A changed row concerns the cohorts of its old
// and its new values; it concerns all of them where that cannot be proved.

import type { PreparedBatch } from '../../../../sdk/graphql.ts'
import { nameKey } from '../../../../sdk/index.ts'
import type { DecodedChange, DecodedRows, DecodedValue, RowKey } from '../../../../sdk/sql.ts'
import { namesIn } from '../writes/names.ts'
import type { Reads, ReadTable } from '../writes/reads.ts'
import type { Cohort } from './cohort.ts'

/** Types by the way in which equal values are written: in the log, and in the texts of subscribers. */
type Form = (text: string) => string | null

const integerForm: Form = (text) =>
  /^\s*[+-]?\d+\s*$/.test(text) ? String(BigInt(text.trim().replace(/^\+/, ''))) : null
const uuidForm: Form = (text) => (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) ? text.toLowerCase() : null)
const booleanForm: Form = (text) => (text === 'true' || text === 'false' ? text : null)
const textForm: Form = (text) => text

/** By the names of types as PostgreSQL prints them. The texts of other types may differ where the values are equal. */
const forms: ReadonlyMap<string, Form> = new Map([
  ['smallint', integerForm],
  ['integer', integerForm],
  ['bigint', integerForm],
  ['uuid', uuidForm],
  ['boolean', booleanForm],
  ['text', textForm],
  ['character varying', textForm],
])

/** The cohorts by the value of one parameter. */
class ValueIndex {
  readonly #index: number
  readonly #isList: boolean
  readonly form: Form
  readonly #cohorts = new Map<string, Set<Cohort>>()
  /** Cohorts whose value is written in an unknown way. */
  readonly #others = new Set<Cohort>()

  constructor(index: number, { isList }: RowKey, form: Form) {
    this.#index = index
    this.#isList = isList
    this.form = form
  }

  add(cohort: Cohort, values: readonly (string | null)[]): void {
    for (const set of this.#setsOf(values[this.#index] ?? null)) set.add(cohort)
  }

  delete(cohort: Cohort, values: readonly (string | null)[]): void {
    const texts = this.#textsOf(values[this.#index] ?? null)
    for (const set of this.#setsOf(values[this.#index] ?? null)) set.delete(cohort)
    for (const text of texts ?? []) if (this.#cohorts.get(text)?.size === 0) this.#cohorts.delete(text)
  }

  /** The cohorts that have one of these values, or whose value is unknown. */
  with(texts: readonly string[]): readonly ReadonlySet<Cohort>[] {
    return [this.#others, ...texts.flatMap((text) => this.#cohorts.get(text) ?? [])]
  }

  #setsOf(value: string | null): readonly Set<Cohort>[] {
    const texts = this.#textsOf(value)
    if (!texts) return [this.#others]
    return texts.map((text) => {
      const known = this.#cohorts.get(text) ?? new Set()
      this.#cohorts.set(text, known)
      return known
    })
  }

  #textsOf(value: string | null): readonly string[] | null {
    if (value === null) return null
    const texts = (this.#isList ? itemsOf(value) : [value])?.map((item) => this.form(item)) ?? null
    return texts?.every((text) => text !== null) ? texts : null
  }
}

/** An item of an array's text, and the comma after it. */
const arrayItem = /(?:"((?:[^"\\]|\\.)*)"|([^\s,{}"\\]+))(,|$)/sy

/** The items of an array's text without its NULLs, which equal nothing; null: it has several dimensions, or another form. */
function itemsOf(text: string): readonly string[] | null {
  if (!text.startsWith('{') || !text.endsWith('}')) return null
  const items: string[] = []
  const inner = text.slice(1, -1)
  for (arrayItem.lastIndex = 0; arrayItem.lastIndex < inner.length; ) {
    const [, quoted, plain = '', comma] = arrayItem.exec(inner) ?? []
    if (comma === undefined || (comma === ',' && arrayItem.lastIndex === inner.length)) return null
    if (quoted !== undefined) items.push(quoted.replace(/\\(.)/gs, '$1'))
    else if (plain.toLowerCase() !== 'null') items.push(plain)
  }
  return items
}

/** A column by which the cohorts can be found. */
interface Lookup {
  readonly column: string
  readonly index: ValueIndex
}

interface IndexedTable {
  /** Each place of the statement that reads the table, with its lookups. */
  readonly places: readonly (readonly Lookup[])[]
  readonly columns: ReadonlySet<string>
  readonly table: ReadTable
}

export class CohortIndex {
  readonly #indexes = new Map<string, ValueIndex>()
  /** Tables in which each row is looked up. */
  readonly #tables = new Map<string, IndexedTable>()

  constructor({ reads, memberParams }: Pick<PreparedBatch, 'reads' | 'memberParams'>, { tables }: Reads) {
    const [schemas, names] = namesIn(reads.otherSql)
    const others = new Set(schemas.map((schema, i) => nameKey({ schema, name: names[i]! })))
    const places = new Map(reads.tables.map((keyed) => [nameKey(keyed.table), keyed.places]))
    // The parts of a table have its columns, with the same types and collations.
    const exactOf = new Map<string, ReadonlySet<string>>()
    for (const { origins, exact } of tables)
      for (const origin of origins ?? []) exactOf.set(nameKey(origin), new Set(exact))
    const lookupOf = (key: RowKey, table: ReadTable): readonly Lookup[] => {
      const source = memberParams.indexOf(key.source)
      const form = forms.get(key.type)
      const isExact =
        table.exact.includes(key.column) && key.via.every((via) => exactOf.get(nameKey(via.table))?.has(via.column))
      return source < 0 || !form || !isExact ? [] : [{ column: key.column, index: this.#indexFor(source, key, form) }]
    }
    for (const table of tables) {
      const origins = table.origins?.map(nameKey)
      if (!origins || origins.some((origin) => others.has(origin) || !places.has(origin))) continue
      const lookups = origins
        .flatMap((origin) => places.get(origin)!)
        .map((keys) => keys.flatMap((key) => lookupOf(key, table)))
      if (lookups.some((each) => each.length === 0)) continue
      const columns = new Set(lookups.flat().map(({ column }) => column))
      this.#tables.set(table.name, { places: lookups, columns, table })
    }
  }

  #indexFor(source: number, key: RowKey, form: Form): ValueIndex {
    const name = `${source} ${key.isList} ${[...forms.values()].indexOf(form)}`
    const known = this.#indexes.get(name) ?? new ValueIndex(source, key, form)
    this.#indexes.set(name, known)
    return known
  }

  /** The columns whose values tell which cohorts a row of the table concerns; null: any row concerns all. */
  columnsOf(table: string): ReadonlySet<string> | null {
    return this.#tables.get(table)?.columns ?? null
  }

  add(cohort: Cohort): void {
    if (this.#indexes.size === 0) return
    const values = JSON.parse(cohort.values) as (string | null)[]
    for (const index of this.#indexes.values()) index.add(cohort, values)
  }

  delete(cohort: Cohort): void {
    if (this.#indexes.size === 0) return
    const values = JSON.parse(cohort.values) as (string | null)[]
    for (const index of this.#indexes.values()) index.delete(cohort, values)
  }

  /** The cohorts that changed rows of a table concern; null for all. */
  concerned(table: string, rows: DecodedRows): ReadonlySet<Cohort> | null {
    const indexed = this.#tables.get(table)
    if (!indexed || !rows) return null
    const concerned = new Set<Cohort>()
    for (const row of rows.changes) {
      for (const place of indexed.places) {
        const read = place.filter(({ column }) => rows.columns.has(column))
        const found = fewest(read.map((lookup) => cohortsBy(lookup, row, indexed.table)))
        if (!found) return null
        for (const cohorts of found) for (const cohort of cohorts) concerned.add(cohort)
      }
    }
    return concerned
  }
}

type Found = readonly ReadonlySet<Cohort>[] | null

const sizeOf = (found: Exclude<Found, null>): number => found.reduce((size, cohorts) => size + cohorts.size, 0)

/** A row has to fulfil all keys of a place, so each of them alone finds all cohorts: the one that finds the fewest is taken. */
const fewest = (all: readonly Found[]): Found =>
  all.reduce<Found>((best, found) => (found && (!best || sizeOf(found) < sizeOf(best)) ? found : best), null)

/** The cohorts with the old or the new value of a row; null where the log does not have both. */
function cohortsBy({ column, index }: Lookup, change: DecodedChange, table: ReadTable): Found {
  const old = change.kind === 'INSERT' ? null : oldValue(column, change, table)
  const latest = change.kind === 'DELETE' ? null : change.new?.get(column)
  if (old === undefined || latest === undefined) return null
  const texts = new Set<string>()
  for (const value of [old, latest]) {
    if (value === null || value.text === null) continue
    const text = forms.get(value.type) === index.form ? index.form(value.text) : null
    if (text === null) return null
    texts.add(text)
  }
  return index.with([...texts])
}

/** The old value of a column; null for NULL, undefined if it is unknown. */
function oldValue(
  column: string,
  { kind, old, new: latest }: DecodedChange,
  { identity }: ReadTable,
): DecodedValue | null | undefined {
  const isCarried = identity === null || identity.includes(column)
  if (!isCarried) return undefined
  // The log has no NULLs among old values.
  if (old) return old.get(column) ?? null
  // The log leaves out an identity that stays the same, unless it is the whole row.
  return kind === 'UPDATE' && identity !== null ? latest?.get(column) : undefined
}
