// The rows and columns of the grid: the server's rows with the staged edits over them.

import { memberOf } from '../../../base/members.ts'
import type { TableInfo } from '../table-info.ts'
import { typesOf } from '../types.ts'
import { type Row, rowId, type Staged } from './staged.ts'

/** The answer of `browse_rows`. */
export interface BrowsedRows {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly key: readonly string[] | null
  readonly rows: readonly (readonly (string | null)[])[]
  readonly truncated: readonly { readonly row: number; readonly column: string; readonly bytes: number }[]
  readonly next: string | null
  readonly count?: { readonly value: number; readonly is_exact: boolean } | null
}

/** A column of the grid. */
export interface GridColumn {
  readonly name: string
  readonly type: string
  readonly isKey: boolean
  readonly isNumeric: boolean
  /** Edited as a whole cell. */
  readonly isLong: boolean
  readonly isNullable: boolean
  readonly isUpdatable: boolean
  readonly isInsertable: boolean
  /** The values of an enum; absent: of other types. */
  readonly values?: readonly string[] | undefined
  /** Pixels. */
  readonly width: number
}

/** A row of the grid. */
export interface GridRow {
  readonly reactKey: string
  /** Null: it cannot be told from others. */
  readonly id: string | null
  readonly key: Row
  /** A column is absent while it is not read, and of an insert, where it takes its default. */
  readonly cells: Row
  readonly old: Row
  readonly changed: ReadonlySet<string>
  /** Bytes of the whole values, by column. */
  readonly truncated: ReadonlyMap<string, number>
  /** `unread`: a row before the window. */
  readonly state: 'same' | 'updated' | 'deleted' | 'inserted' | 'conflict' | 'unread'
}

const numeric = new Set(['int2', 'int4', 'int8', 'numeric', 'float4', 'float8', 'money', 'oid'])
const long = new Set(['json', 'jsonb', 'xml', 'bytea', 'geometry', 'geography', 'tsvector'])
const wide = new Set(['text', 'varchar', 'timestamptz', 'timestamp', 'uuid', ...long])

/** The grid's columns. A column that was not read yet has the type that the table tells. */
export function columnsOf(
  names: readonly string[],
  { columns, key }: Pick<BrowsedRows, 'columns' | 'key'>,
  info: TableInfo,
): readonly GridColumn[] {
  const known = new Map(info.columns.map((column) => [column.name, column]))
  const read = new Map(columns.map(({ name, type }) => [name, type]))
  const own = typesOf(info)
  return names.map((name) => {
    const column = known.get(name)
    const type = read.get(name) ?? own.get(name) ?? ''
    return {
      ...{ name, type, values: memberOf(info.enum_values, name) },
      isKey: key?.includes(name) ?? false,
      isNumeric: numeric.has(type),
      isLong: long.has(type),
      isNullable: column?.nullable ?? true,
      isUpdatable: info.updatable && (column?.updatable ?? false),
      isInsertable: info.insertable && (column?.insertable ?? false),
      width: Math.max(wide.has(type) ? 232 : 120, Math.min(320, name.length * 8 + type.length * 7 + 48)),
    }
  })
}

/** The cells of which the server sent more than a part. */
const wholeCells = (cells: Row, cut: readonly { readonly column: string }[] = []): Row =>
  Object.fromEntries(Object.entries(cells).filter(([name]) => !cut.some(({ column }) => column === name)))

const none: ReadonlyMap<string, number> = new Map()

/** The place of a row that is not read. */
export const unreadRow: GridRow = {
  ...{ reactKey: '', id: null, key: {}, cells: {}, old: {}, truncated: none, state: 'unread' },
  changed: new Set(),
}

function rowsOfPage(
  { columns, key, rows, truncated }: BrowsedRows,
  offset: number,
  staged: Staged,
): readonly GridRow[] {
  const cut = Map.groupBy(truncated, ({ row }) => row)
  return rows.map((values, index) => {
    const fetched: Row = Object.fromEntries(
      columns.flatMap(({ name }, at) => (values[at] === undefined ? [] : [[name, values[at]]])),
    )
    const keyed: Row = Object.fromEntries((key ?? []).map((name) => [name, memberOf(fetched, name) ?? null]))
    const id = key === null ? null : rowId(keyed)
    const row = id === null ? undefined : staged[id]
    const changes = row?.kind === 'update' ? row.changes : {}
    return {
      ...{ id, key: keyed, reactKey: id ?? `row ${offset + index}` },
      cells: { ...fetched, ...changes },
      old: row?.isConflict ? wholeCells(fetched, cut.get(index)) : (row?.old ?? {}),
      changed: new Set(Object.keys(changes)),
      truncated: new Map(
        cut.get(index)?.flatMap(({ column, bytes }) => (Object.hasOwn(changes, column) ? [] : [[column, bytes]])) ??
          none,
      ),
      state: row === undefined ? 'same' : row.isConflict ? 'conflict' : row.kind === 'delete' ? 'deleted' : 'updated',
    }
  })
}

/** All rows: the new ones first, then those of the pages. */
export function rowsOf(pages: readonly BrowsedRows[], staged: Staged): readonly GridRow[] {
  const inserts = Object.entries(staged).filter(([, { kind }]) => kind === 'insert')
  const added = inserts.map<GridRow>(([id, { changes }]) => ({
    ...{ id, reactKey: id, key: {}, cells: changes, old: {}, truncated: none, state: 'inserted' },
    changed: new Set(Object.keys(changes)),
  }))
  let offset = 0
  const fetched = pages.flatMap((page) => {
    const rows = rowsOfPage(page, offset, staged)
    offset += rows.length
    return rows
  })
  return [...added, ...fetched]
}
