// The metadata in PostgreSQL: one row with the overall version, one row for each entry of a list slice, and one row for
// each other slice. A small change writes only the rows that it affects.

import type { Row, Transaction } from '../../database/transaction.ts'
import { internalError } from '../../errors/errors.ts'
import { deepFreeze, parseJson } from '../../json/json.ts'
import type { MetadataDocument } from '../document/document.ts'
import { listChange } from '../document/list-change.ts'
import { documentOf, type MetadataRegistry, sliceValue } from '../slices/registry.ts'
import type { Slice } from '../slices/slices.ts'
import { storageKey } from '../slices/storage-key.ts'
import { type PartReader, takeOver } from '../slices/taken-over.ts'
import { type UnreadableRow, unreadableKey, unusable } from '../slices/unreadable.ts'
import { longestPayload, rowsAtATime, statementSize } from '../tuning.ts'

/** The channel on which instances notify each other of changes. */
export const metadataChannel = 'trellis_metadata'

/** The content of a notification. */
export interface MetadataNotice {
  readonly instance: string
  readonly version: number
  /** Keys of the tables that were read from the catalog for this version; `all` if they do not fit into a notice. */
  readonly tables: 'all' | readonly string[]
}

/** The stored document and its version. */
export interface StoredMetadata {
  readonly resourceVersion: number
  readonly document: MetadataDocument
}

/** Two documents, and the version of the second one. */
export interface DocumentChange {
  readonly previous: MetadataDocument
  readonly next: MetadataDocument
  readonly version: number
}

type Reader = Pick<Transaction, 'rows'>

interface RowName {
  readonly slice: string
  readonly key: string
}

interface WrittenRow extends RowName {
  readonly value: unknown
}

/** A row as last read. */
interface KnownRow {
  /** Differs after each write of the row. */
  readonly revision: string
  readonly value: unknown
  /** The reason why the row is excluded; null when it is part of the document. */
  problem: string | null
}

interface RevisionRow extends Row, RowName {
  readonly resource_version: string
  readonly revision: string
}

export class MetadataStore {
  readonly #registry: MetadataRegistry
  readonly #format: PartReader
  #rows = new Map<string, KnownRow>()
  /** The slices whose rows the next save writes whole, because they were taken over from other rows. */
  #takenOver: ReadonlySet<string> = new Set()

  constructor(registry: MetadataRegistry, format: PartReader) {
    this.#registry = registry
    this.#format = format
  }

  /** Blocks other editors until the transaction ends, and returns the stored version. */
  async lock(transaction: Transaction): Promise<number> {
    // The table lock comes before the row lock because it takes no snapshot. Under repeatable read and serializable,
    // the snapshot is then newer than the last editor's commit, so editors wait instead of failing.
    await transaction.rows('lock table trellis.metadata in share row exclusive mode')
    return versionIn(await transaction.rows('select resource_version from trellis.metadata for update'))
  }

  /** The same with a timeout in milliseconds; rejects when the lock is not free by then. */
  async lockWithin(transaction: Transaction, timeoutMillis: number): Promise<number> {
    // Neither of these takes a snapshot.
    const [before] = await transaction.rows<{ lock_timeout: string }>('show lock_timeout')
    await transaction.rows(`set local lock_timeout = ${timeoutMillis}`)
    const version = await this.lock(transaction)
    await transaction.rows(`set local lock_timeout = '${before!.lock_timeout}'`)
    return version
  }

  async version(reader: Reader): Promise<number> {
    return versionIn(await reader.rows('select resource_version from trellis.metadata'))
  }

  /**
   * Reads everything. Rows that were read before and not written since are not fetched again. The transaction must hold
   * the lock or use one snapshot throughout.
   */
  async load(transaction: Transaction): Promise<StoredMetadata> {
    const rows = await transaction.rows<RevisionRow>(
      `select m.resource_version, e.slice, e.key, e.xmin::text || e.ctid::text as revision
        from trellis.metadata m left join trellis.metadata_entry e on true order by e.slice, e.key`,
    )
    const present = rows.filter(({ slice }) => slice !== null)
    await this.#fetch(
      transaction,
      present.filter((row) => this.#rows.get(rowKey(row))?.revision !== row.revision),
    )
    const known = new Map(present.map((row) => [rowKey(row), this.#rows.get(rowKey(row))!]))
    this.#rows = known
    const unreadable: UnreadableRow[] = []
    const values = new Map<string, unknown[]>([[unreadableKey, unreadable]])
    for (const row of present) {
      const { value, problem } = known.get(rowKey(row))!
      if (problem !== null) unreadable.push({ slice: row.slice, key: row.key, value, reason: problem })
      else if (values.get(row.slice)?.push(value) === undefined) values.set(row.slice, [value])
    }
    const slices = this.#registry.slices.map((slice) => {
      const own = values.get(slice.key) ?? []
      return [slice.key, slice.entryKey ? own : own.length > 0 ? own[0] : slice.empty] as const
    })
    const { document, changed } = await takeOver(documentOf(slices), this.#registry, this.#format)
    this.#takenOver = changed
    return { resourceVersion: versionIn(rows), document: deepFreeze(document) }
  }

  async #fetch(transaction: Transaction, wanted: readonly RevisionRow[]): Promise<void> {
    for (let start = 0; start < wanted.length; start += rowsAtATime) {
      await this.#fetchBatch(transaction, wanted.slice(start, start + rowsAtATime))
    }
  }

  async #fetchBatch(transaction: Transaction, wanted: readonly RevisionRow[]): Promise<void> {
    const rows = await transaction.rows<{ slice: string; key: string; json: string }>(
      `select e.slice, e.key, e.entry::text as json
        from unnest($1::text[], $2::text[]) as wanted (slice, key) join trellis.metadata_entry e using (slice, key)`,
      [wanted.map(({ slice }) => slice), wanted.map(({ key }) => key)],
    )
    const texts = new Map(rows.map((row) => [rowKey(row), row.json]))
    const facets = this.#registry.facetFormat
    for (const row of wanted) {
      const value = deepFreeze(parseJson(texts.get(rowKey(row))!, 'precise'))
      const problem = unusable(row.slice, this.#registry.find(row.slice), value, { facets })
      this.#rows.set(rowKey(row), { revision: row.revision, value, problem })
    }
  }

  /** Excludes rows that have a problem; returns whether there were any. */
  setAside(problemOf: (slice: string, value: unknown) => string | null): boolean {
    const read = [...this.#rows].filter(([, { problem }]) => problem === null)
    for (const [key, row] of read) row.problem = problemOf(sliceOfRow(key), row.value)
    return read.some(([, { problem }]) => problem !== null)
  }

  /** Writes the difference between two documents and sets the version. */
  async save(transaction: Transaction, change: DocumentChange): Promise<void> {
    const changes = this.#registry.slices.map((slice) => {
      const compare = this.#takenOver.has(slice.key) ? replacement : differences
      return compare(slice, sliceValue(change.previous, slice.key), sliceValue(change.next, slice.key))
    })
    const gone = changes.flatMap((each) => each.gone)
    await deleteRows(transaction, this.#withoutReplaced(gone, change))
    await writeRows(
      transaction,
      changes.flatMap(({ written }) => written),
    )
    await transaction.rows('update trellis.metadata set resource_version = $1', [change.version])
  }

  /** Rows to delete, except those that a new entry replaced because they were unreadable. */
  #withoutReplaced(
    gone: readonly RowName[],
    { previous, next }: { previous: MetadataDocument; next: MetadataDocument },
  ) {
    if (previous.unreadable === next.unreadable) return gone
    const entries = this.#registry.slices.flatMap((slice) =>
      slice.entryKey && slice.key !== unreadableKey
        ? (sliceValue(next, slice.key) as readonly unknown[]).map((entry) => rowKey(entryRow(slice, entry)))
        : [],
    )
    const present = new Set(entries)
    return gone.filter((row) => !present.has(rowKey(row)))
  }

  /** Notifies the other instances when the transaction commits. */
  async notify(transaction: Transaction, notice: MetadataNotice): Promise<void> {
    const text = JSON.stringify(notice)
    const payload = Buffer.byteLength(text) <= longestPayload ? text : JSON.stringify({ ...notice, tables: 'all' })
    await transaction.rows('select pg_catalog.pg_notify($1, $2)', [metadataChannel, payload])
  }
}

function versionIn(rows: readonly Readonly<Record<string, unknown>>[]): number {
  const version = rows[0]?.resource_version
  if (version === undefined) throw internalError('the metadata store is empty: trellis.metadata has no row')
  return Number(version)
}

const rowKey = ({ slice, key }: RowName): string => `${slice}\u0000${key}`

const sliceOfRow = (key: string): string => key.slice(0, key.indexOf('\u0000'))

/** The rows to delete and to write. */
interface RowChanges {
  readonly gone: readonly RowName[]
  readonly written: readonly WrittenRow[]
}

/** All rows, if the store lacks the previous ones. */
function replacement(slice: Slice, previous: unknown, next: unknown): RowChanges {
  if (!slice.entryKey) return differences(slice, undefined, next)
  const { gone } = differences(slice, previous, next)
  return { gone, written: (next as readonly unknown[]).map((entry) => entryRow(slice, entry)) }
}

/** The rows that differ, entries compared by identity. */
function differences(slice: Slice, previous: unknown, next: unknown): RowChanges {
  if (previous === next) return { gone: [], written: [] }
  if (!slice.entryKey) {
    const row = { slice: slice.key, key: '' }
    return next === slice.empty ? { gone: [row], written: [] } : { gone: [], written: [{ ...row, value: next }] }
  }
  const { gone, added } = listChange(previous as unknown[], next as unknown[])
  const written = added.map((entry) => entryRow(slice, entry))
  const kept = new Set(written.map(({ key }) => key))
  return { gone: gone.map((entry) => entryRow(slice, entry)).filter(({ key }) => !kept.has(key)), written }
}

function entryRow(slice: Slice, value: unknown): WrittenRow {
  if (slice.key !== unreadableKey) return { slice: slice.key, key: storageKey(slice.entryKey?.(value) ?? ''), value }
  // The row keeps its key.
  const row = value as UnreadableRow
  return { slice: row.slice, key: row.key, value: row.value }
}

async function deleteRows(transaction: Transaction, rows: readonly RowName[]): Promise<void> {
  if (rows.length === 0) return
  await transaction.rows(
    `delete from trellis.metadata_entry e using unnest($1::text[], $2::text[]) as gone (slice, key)
      where e.slice = gone.slice and e.key = gone.key`,
    [rows.map(({ slice }) => slice), rows.map(({ key }) => key)],
  )
}

async function writeRows(transaction: Transaction, rows: readonly WrittenRow[]): Promise<void> {
  for (let start = 0; start < rows.length; ) {
    const texts: string[] = []
    for (let size = 0; start + texts.length < rows.length && size < statementSize; size += texts.at(-1)!.length) {
      texts.push(JSON.stringify(rows[start + texts.length]!.value))
    }
    const batch = rows.slice(start, start + texts.length)
    await transaction.rows(
      `insert into trellis.metadata_entry (slice, key, entry)
        select slice, key, entry::json from unnest($1::text[], $2::text[], $3::text[]) as new (slice, key, entry)
        on conflict (slice, key) do update set entry = excluded.entry`,
      [batch.map(({ slice }) => slice), batch.map(({ key }) => key), texts],
    )
    start += texts.length
  }
}
