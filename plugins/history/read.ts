// Reads versions and their patches.

import type { PartChange, PartPlace } from '../../sdk/metadata.ts'
import { inTurns, mapSteps, parseJson } from '../../sdk/services.ts'
import type { Transaction } from '../../sdk/sql.ts'
import { pageBytes } from './tuning.ts'

type Reader = Pick<Transaction, 'rows'>

/** A version without its patch. */
export interface StoredVersion {
  readonly id: string
  readonly version: number
  readonly at: string
  readonly author: Readonly<Record<string, unknown>>
  readonly requestId: string | null
  readonly operations: readonly string[]
  readonly isComplete: boolean
}

interface VersionRow {
  readonly [column: string]: unknown
  readonly id: string
  readonly version: string
  readonly at: string
  readonly author: string
  readonly request_id: string | null
  readonly operations: readonly string[]
  readonly is_complete: boolean
}

const columns = `id, version, author::text as author, request_id, operations, is_complete,
  to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`

const versionOf = (row: VersionRow): StoredVersion => ({
  id: row.id,
  version: Number(row.version),
  at: row.at,
  author: JSON.parse(row.author),
  requestId: row.request_id,
  operations: row.operations,
  isComplete: row.is_complete,
})

/** A page of the history, the newest first. */
export interface HistoryPage {
  /** The versions below this one; null: from the newest on. */
  readonly before: number | null
  readonly limit: number
  /** A place in its searchable form; null: any. */
  readonly place: string | null
}

/** A page of versions, and whether there are more. A page ends earlier when its patches are large. */
export async function readVersions(
  reader: Reader,
  { before, limit, place }: HistoryPage,
): Promise<{ versions: readonly StoredVersion[]; hasMore: boolean }> {
  const rows = await reader.rows<VersionRow & { readonly fits: boolean }>(
    `select ${columns}, sum(bytes) over (order by id desc) - bytes < ${pageBytes} as fits
      from (
        select * from trellis.metadata_version v
          where ($1::bigint is null or version < $1::bigint) and ($3::text is null or exists (
            select from trellis.metadata_change c where c.id = v.id and c.place @> $3::text::jsonb))
          order by id desc limit $2::integer + 1) as page
      order by id desc`,
    [before, limit, place],
  )
  const fitting = rows.slice(0, limit).filter(({ fits }) => fits)
  return { versions: fitting.map(versionOf), hasMore: fitting.length < rows.length }
}

/** A version; undefined if it changed nothing, or is no longer kept. */
export async function readVersion(reader: Reader, version: number): Promise<StoredVersion | undefined> {
  const [row] = await reader.rows<VersionRow>(
    `select ${columns} from trellis.metadata_version where version = $1::bigint order by id desc limit 1`,
    [version],
  )
  return row && versionOf(row)
}

interface ChangeRow {
  readonly [column: string]: unknown
  readonly id: string
  readonly place: string
  readonly key: string | null
  readonly before: string | null
  readonly after: string | null
}

const parsed = (text: string | null): unknown => (text === null ? undefined : parseJson(text, 'precise'))

/** The key of the entry, and the name in the place with all its characters. */
function changeOf({ place: text, key: keys, before, after }: ChangeRow): PartChange {
  const place: PartPlace = JSON.parse(text)
  const [key, name] = keys === null ? [null, null] : JSON.parse(keys)
  return { place: name === null ? place : { ...place, name }, key, before: parsed(before), after: parsed(after) }
}

/** The patches of versions, by their ids. */
export async function readPatches(
  reader: Reader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly PartChange[]>> {
  const rows = await reader.rows<ChangeRow>(
    `select id, place::text as place, key, before::text as before, after::text as after
      from trellis.metadata_change where id = any($1::bigint[]) order by id, position`,
    [ids],
  )
  const changes = await inTurns(mapSteps(rows, (row) => [row.id, changeOf(row)] as const))
  const patches = new Map<string, PartChange[]>(ids.map((id) => [id, []]))
  for (const [id, change] of changes) patches.get(id)?.push(change)
  return patches
}
