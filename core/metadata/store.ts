// The metadata in PostgreSQL: one row with the version of the whole, and one row for each entry of a list slice or
// value of another. A small change writes the rows it touches, never the document.

import { createHash } from 'node:crypto'
import { freeze } from 'immer'
import type { Transaction } from '../database/transaction.ts'
import { internalError } from '../errors.ts'
import { parseJson } from '../json.ts'
import type { MetadataDocument } from './document.ts'
import { type AnySlice, type MetadataRegistry, sliceValue } from './registry.ts'

/** The channel on which instances tell each other of changes. */
export const metadataChannel = 'trellis_metadata'

/** What a notification carries. */
export interface MetadataNotice {
  readonly instance: string
  readonly version: number
}

/** The stored document and its version. */
export interface StoredMetadata {
  readonly resourceVersion: number
  readonly document: MetadataDocument
}

type Reader = Pick<Transaction, 'rows'>

interface StoredEntry {
  readonly slice: string
  readonly key: string
  /** Absent: the row is to go. */
  readonly json?: string
}

/** About this many characters go into one statement. */
const batchSize = 4_000_000

export class MetadataStore {
  readonly #registry: MetadataRegistry

  constructor(registry: MetadataRegistry) {
    this.#registry = registry
  }

  /** Makes other editors wait until the transaction ends, and returns the version that is stored now. */
  async lock(transaction: Transaction): Promise<number> {
    // The row lock comes after a table lock, which takes no snapshot: under repeatable read and serializable the
    // snapshot is then younger than the last editor's commit, so editors wait for each other instead of failing.
    await transaction.rows('lock table trellis.metadata in share row exclusive mode')
    return versionIn(await transaction.rows('select resource_version from trellis.metadata for update'))
  }

  async version(reader: Reader): Promise<number> {
    return versionIn(await reader.rows('select resource_version from trellis.metadata'))
  }

  /** Reads everything; in a transaction that other instances' commits cannot tear. */
  async load(transaction: Transaction): Promise<StoredMetadata> {
    const text = `select m.resource_version, e.slice, e.key, e.entry::text as json
      from trellis.metadata m left join trellis.metadata_entry e on true order by e.slice, e.key`
    const rows = await transaction.rows<{ resource_version: string; slice: string | null; key: string; json: string }>(
      text,
    )
    const entries = new Map<string, string[]>()
    for (const { slice, json } of rows) {
      if (slice === null) continue
      const list = entries.get(slice)
      if (list) list.push(json)
      else entries.set(slice, [json])
    }
    const slices = this.#registry.slices.map((slice) => [slice.key, readSlice(slice, entries.get(slice.key) ?? [])])
    const document = freeze(Object.fromEntries(slices) as MetadataDocument, true)
    return { resourceVersion: versionIn(rows), document }
  }

  /** Writes the difference between two documents and sets the version. */
  async save(
    transaction: Transaction,
    change: { readonly previous: MetadataDocument; readonly next: MetadataDocument; readonly version: number },
  ): Promise<void> {
    const rows = this.#registry.slices.flatMap((slice) =>
      differences(slice, sliceValue(change.previous, slice.key), sliceValue(change.next, slice.key)),
    )
    await deleteRows(
      transaction,
      rows.filter(({ json }) => json === undefined),
    )
    await writeRows(
      transaction,
      rows.filter(({ json }) => json !== undefined),
    )
    await transaction.rows('update trellis.metadata set resource_version = $1', [change.version])
  }

  /** Tells the other instances when the transaction commits. */
  async notify(transaction: Transaction, notice: MetadataNotice): Promise<void> {
    await transaction.rows('select pg_catalog.pg_notify($1, $2)', [metadataChannel, JSON.stringify(notice)])
  }
}

function versionIn(rows: readonly Readonly<Record<string, unknown>>[]): number {
  const version = rows[0]?.resource_version
  if (version === undefined) throw internalError('the metadata store is empty: trellis.metadata has no row')
  return Number(version)
}

function readSlice(slice: AnySlice, texts: readonly string[]): unknown {
  const values = texts.map((text) => parseJson(text, 'precise'))
  if (slice.entryKey) return values
  return values.length > 0 ? values[0] : slice.empty
}

/** The rows that differ, entries compared by identity. */
function differences(slice: AnySlice, previous: unknown, next: unknown): StoredEntry[] {
  if (previous === next) return []
  if (!slice.entryKey) {
    const row = { slice: slice.key, key: '' }
    return [next === slice.empty ? row : { ...row, json: JSON.stringify(next) }]
  }
  const before = byStorageKey(slice, previous as readonly unknown[])
  const after = byStorageKey(slice, next as readonly unknown[])
  const removed = [...before.keys()].filter((key) => !after.has(key)).map((key) => ({ slice: slice.key, key }))
  const changed = [...after]
    .filter(([key, entry]) => before.get(key) !== entry)
    .map(([key, entry]) => ({ slice: slice.key, key, json: JSON.stringify(entry) }))
  return [...removed, ...changed]
}

const byStorageKey = (slice: AnySlice, entries: readonly unknown[]): Map<string, unknown> =>
  new Map(entries.map((entry) => [storageKey(slice.entryKey?.(entry) ?? ''), entry]))

/** An index row holds some 2,700 bytes at most. */
const longestKey = 500

/** A key that PostgreSQL can store and index whatever the name: no NUL, no broken surrogates, not too long. */
export function storageKey(key: string): string {
  const text = JSON.stringify(key)
  if (text.length <= longestKey) return text
  return `${text.slice(0, longestKey / 2)}…${createHash('sha256').update(text).digest('base64url')}`
}

async function deleteRows(transaction: Transaction, rows: readonly StoredEntry[]): Promise<void> {
  if (rows.length === 0) return
  await transaction.rows(
    `delete from trellis.metadata_entry e using unnest($1::text[], $2::text[]) as gone (slice, key)
      where e.slice = gone.slice and e.key = gone.key`,
    [rows.map(({ slice }) => slice), rows.map(({ key }) => key)],
  )
}

async function writeRows(transaction: Transaction, rows: readonly StoredEntry[]): Promise<void> {
  for (let start = 0; start < rows.length; ) {
    let end = start
    for (let size = 0; end < rows.length && size < batchSize; end++) size += rows[end]!.json!.length
    const batch = rows.slice(start, end)
    await transaction.rows(
      `insert into trellis.metadata_entry (slice, key, entry)
        select slice, key, entry::json from unnest($1::text[], $2::text[], $3::text[]) as new (slice, key, entry)
        on conflict (slice, key) do update set entry = excluded.entry`,
      [batch.map(({ slice }) => slice), batch.map(({ key }) => key), batch.map(({ json }) => json)],
    )
    start = end
  }
}
