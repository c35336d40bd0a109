// Keeps the patch of each version, in the transaction that stores it, and removes the oldest ones.

import type { PartChange, PartPlace, RecordedChange } from '../../sdk/metadata.ts'
import { TurnTaker } from '../../sdk/services.ts'
import { changeBytes, largestPatch, mostBytes, mostVersions, statementSize } from './tuning.ts'

/** A change as it is stored. */
interface StoredRow {
  readonly place: string
  readonly key: string | null
  readonly before: string | null
  readonly after: string | null
}

const jsonOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))

/** A name in JSON that can be searched: PostgreSQL refuses some characters there. */
const searchable = (name: string): string => name.replaceAll('\0', '\uFFFD').toWellFormed()

/** A place in the form that is stored and searched. */
export function searchablePlace({ part, table, member, name }: Partial<PartPlace>): string {
  const place = {
    part,
    table: table && { schema: searchable(table.schema), name: searchable(table.name) },
    member,
    name: name === undefined ? undefined : searchable(name),
  }
  return JSON.stringify(place)
}

const rowOf = ({ place, key, before, after }: PartChange): StoredRow => ({
  place: searchablePlace(place),
  key: key === null ? null : JSON.stringify([key, place.name ?? null]),
  before: jsonOf(before),
  after: jsonOf(after),
})

const sizeOf = ({ place, before, after }: StoredRow): number =>
  changeBytes + place.length + Buffer.byteLength(before ?? '') + Buffer.byteLength(after ?? '')

/** The rows of a patch, and their bytes; null instead of rows that are too large to be kept. */
async function patchOf(changes: readonly PartChange[]): Promise<{ rows: StoredRow[] | null; bytes: number }> {
  const turns = new TurnTaker()
  const rows: StoredRow[] = []
  let bytes = 0
  for (const change of changes) {
    await turns.next()
    const row = rowOf(change)
    bytes += sizeOf(row)
    if (bytes > largestPatch) return { rows: null, bytes: 0 }
    rows.push(row)
  }
  return { rows, bytes }
}

/** The rows from a position that fit into one statement; at least one. */
function batchFrom(rows: readonly StoredRow[], start: number): readonly StoredRow[] {
  let end = start
  for (let size = 0; end < rows.length && size < statementSize; end++) size += sizeOf(rows[end]!)
  return rows.slice(start, end)
}

const columnsOf = (rows: readonly StoredRow[]) => [
  rows.map(({ place }) => place),
  rows.map(({ key }) => key),
  rows.map(({ before }) => before),
  rows.map(({ after }) => after),
]

/** The first rows are written with the version, in one statement. */
const insertVersion = `
  with version as (
    insert into trellis.metadata_version (version, author, request_id, operations, bytes, is_complete, total)
      values ($1, $2, $3, $4, $5::bigint, $6,
        $5::bigint + coalesce((select total from trellis.metadata_version order by id desc limit 1), 0))
      returning id, total
  ), change as (
    insert into trellis.metadata_change (id, position, place, key, before, after)
      select version.id, new.position, new.place::jsonb, new.key, new.before::json, new.after::json
        from version, unnest($7::text[], $8::text[], $9::text[], $10::text[])
          with ordinality as new (place, key, before, after, position)
  ), oldest as (
    delete from trellis.metadata_version old using version
      where old.id <= version.id - ${mostVersions} or version.total - old.total + old.bytes > ${mostBytes}
  )
  select id from version`

const insertChanges = `
  insert into trellis.metadata_change (id, position, place, key, before, after)
    select $1, $2::integer + new.position, new.place::jsonb, new.key, new.before::json, new.after::json
      from unnest($3::text[], $4::text[], $5::text[], $6::text[])
        with ordinality as new (place, key, before, after, position)`

/** Keeps a change. A patch that is too large is left out; its version and author are kept. */
export async function recordChange({ version, author, changes, transaction }: RecordedChange): Promise<void> {
  const { rows, bytes } = await patchOf(changes)
  const { role = null, identity, agent, plugin, requestId = null, operations = [] } = author ?? {}
  const by = JSON.stringify({ role, ...identity, agent, plugin })
  const first = batchFrom(rows ?? [], 0)
  const [stored] = await transaction.rows<{ id: string }>(insertVersion, [
    ...[version, by, requestId?.replaceAll('\0', '') ?? null, operations, bytes, rows !== null],
    ...columnsOf(first),
  ])
  for (let start = first.length; start < (rows?.length ?? 0); ) {
    const batch = batchFrom(rows!, start)
    await transaction.rows(insertChanges, [stored!.id, start, ...columnsOf(batch)])
    start += batch.length
  }
}
