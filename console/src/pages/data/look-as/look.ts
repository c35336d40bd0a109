// Two looks at the same rows: the administrator's, and a role's.

import { queryOptions } from '@tanstack/react-query'
import type { Identity } from '../../../requests/identity.ts'
import type { TableName } from '../../../server/names.ts'
import { run } from '../../../server/operations.ts'
import type { BrowsedRows, GridRow } from '../rows/model.ts'
import { keyCondition } from '../rows/save.ts'
import { type Row, rowId } from '../rows/staged.ts'

/** The rows and columns that a role gets of those that the administrator sees. */
export interface Seen {
  /** The role's cells by the identity of the row. */
  readonly rows: ReadonlyMap<string, Row>
  /** The identities of the rows that this is about. */
  readonly asked: ReadonlySet<string>
  readonly columns: ReadonlySet<string>
  /** All rows of the role; null: too many to count at once. */
  readonly count: number | null
  /** Why rows cannot be compared; null: they can. */
  readonly obstacle: string | null
}

/** Milliseconds that an exact count may take. */
const countMillis = 500

/** Rows that one question is about. */
const askedRows = 100

interface Look {
  readonly table: TableName
  readonly as: Identity
  /** The administrator's rows, each with its key. */
  readonly rows: readonly GridRow[]
  readonly types: ReadonlyMap<string, string>
  /** The rows at once that the role gets at most; null: no limit. */
  readonly limit: number | null
}

const chunked = <T>(list: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size))

/** The part of the rows that the role gets: one request. */
export const lookQuery = ({ table, as, rows, types, limit }: Look) =>
  queryOptions({
    queryKey: ['rows', 'look', table, as, rows.map(({ id }) => id), limit],
    retry: false,
    queryFn: async ({ signal }): Promise<Seen> => {
      const keys = rows.flatMap(({ id, key }) => (id === null ? [] : [keyCondition(key, types)]))
      const size = Math.max(1, Math.min(askedRows, limit ?? askedRows))
      const answers = await run<readonly BrowsedRows[]>(
        'bulk',
        [
          { type: 'browse_rows', args: { table, limit: 1, preview_bytes: 1, count: { exact_within_ms: countMillis } } },
          ...chunked(keys, size).map((chunk) => ({
            type: 'browse_rows',
            args: { table, limit: size, where: { _or: chunk } },
          })),
        ],
        { as, signal },
      )
      const [counted, ...pages] = answers
      const columns = new Set(counted?.columns.map(({ name }) => name))
      const obstacle = counted?.key === null ? `The role ${as.role} may not read the whole key of the table` : null
      const seen = pages.flatMap(({ rows: found, key, columns: names }) =>
        found.map((cells) => {
          const row: Row = Object.fromEntries(names.map(({ name }, index) => [name, cells[index] ?? null]))
          return [rowId(Object.fromEntries((key ?? []).map((name) => [name, row[name] ?? null]))), row] as const
        }),
      )
      const asked = new Set(rows.flatMap(({ id }) => id ?? []))
      return { rows: new Map(seen), asked, columns, count: counted?.count?.value ?? null, obstacle }
    },
  })

/** An identity as the address has it: `customer,user-id:2`. */
export const identityText = ({ role, variables }: Identity): string =>
  [part(role ?? ''), ...Object.entries(variables).map(([name, value]) => `${part(name)}:${part(value)}`)].join(',')

const part = (text: string): string => encodeURIComponent(text)

/** The identity of an address. */
export function identityOf(text: string): Identity {
  const [role = '', ...pairs] = text.split(',')
  const variables = pairs.flatMap((pair) => {
    const [name = '', value = ''] = pair.split(':')
    return name === '' ? [] : [[safely(name), safely(value)] as const]
  })
  return { role: role === '' ? null : safely(role), variables: Object.fromEntries(variables) }
}

function safely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Somebody wrote the address by hand.
    return text
  }
}
