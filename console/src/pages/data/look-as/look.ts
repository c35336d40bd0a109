// Two looks at the same rows: the administrator's, and a role's.

import { queryOptions } from '@tanstack/react-query'
import type { Identity } from '../../../requests/identity.ts'
import type { TableName } from '../../../server/names.ts'
import { type Operation, run } from '../../../server/operations.ts'
import type { BrowsedRows, GridRow } from '../rows/model.ts'
import { keyCondition } from '../rows/save.ts'
import { type Row, rowId } from '../rows/staged.ts'
import { accessQuestion, judgeAccess } from './explain-access.ts'

/** The rows and columns that a role gets of those that the administrator sees. */
export interface Seen {
  /** The role's cells by the identity of the row. */
  readonly rows: ReadonlyMap<string, Row>
  /** The identities of the rows that this is about. */
  readonly asked: ReadonlySet<string>
  readonly columns: ReadonlySet<string>
  /** All rows of the role; null: too many to count at once. */
  readonly count: number | null
  /** Whether its rule judged each row, as it may not read the key: the cells are those of the administrator. */
  readonly isJudged: boolean
}

/** Milliseconds that an exact count may take. */
const countMillis = 500

/** Rows that one question is about. */
const askedRows = 100

/** Rows that a rule judges one by one: 100 take half a second. */
const judgedRows = 200

interface Look {
  readonly table: TableName
  readonly as: Identity
  /** The administrator's rows, each with its key. */
  readonly rows: readonly GridRow[]
  readonly types: ReadonlyMap<string, string>
  /** The rows at once that the role gets at most; null: no limit. */
  readonly limit: number | null
  /** Whether the role may read the key; null: its permissions are those of other roles. */
  readonly readsKey: boolean | null
}

const chunked = <T>(list: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size))

/** The part of the rows that the role gets. */
export const lookQuery = (look: Look) =>
  queryOptions({
    queryKey: ['rows', 'look', look.table, look.as, look.rows.map(({ id }) => id), look.limit, look.readsKey],
    retry: false,
    queryFn: async ({ signal }): Promise<Seen> => {
      if (look.readsKey) return seenOf(look, await askAs(look, [countOf(look), ...pagesOf(look)], signal))
      const [counted] = await askAs(look, [countOf(look)], signal)
      if (counted?.key === null) return judged(look, counted, signal)
      return seenOf(look, [counted!, ...(await askAs(look, pagesOf(look), signal))])
    },
  })

const askAs = ({ as }: Look, operations: readonly Operation[], signal: AbortSignal) =>
  run<readonly BrowsedRows[]>('bulk', operations, { as, signal })

const countOf = ({ table }: Look): Operation => ({
  type: 'browse_rows',
  args: { table, limit: 1, preview_bytes: 1, count: { exact_within_ms: countMillis } },
})

function pagesOf({ table, rows, types, limit }: Look): readonly Operation[] {
  const keys = rows.flatMap(({ id, key }) => (id === null ? [] : [keyCondition(key, types)]))
  const size = Math.max(1, Math.min(askedRows, limit ?? askedRows))
  return chunked(keys, size).map((chunk) => ({
    type: 'browse_rows',
    args: { table, limit: size, where: { _or: chunk } },
  }))
}

const namesOf = ({ columns }: BrowsedRows): ReadonlySet<string> => new Set(columns.map(({ name }) => name))

function seenOf({ rows }: Look, [counted, ...pages]: readonly BrowsedRows[]): Seen {
  const seen = pages.flatMap(({ rows: found, key, columns: names }) =>
    found.map((cells) => {
      const row: Row = Object.fromEntries(names.map(({ name }, index) => [name, cells[index] ?? null]))
      return [rowId(Object.fromEntries((key ?? []).map((name) => [name, row[name] ?? null]))), row] as const
    }),
  )
  const asked = new Set(rows.flatMap(({ id }) => id ?? []))
  const count = counted?.count?.value ?? null
  return { rows: new Map(seen), asked, columns: counted ? namesOf(counted) : new Set(), count, isJudged: false }
}

/** The rows that the role's rule lets through, by what the server says about each. */
async function judged({ table, as, rows, types }: Look, counted: BrowsedRows, signal: AbortSignal): Promise<Seen> {
  const known = rows.filter(({ id }) => id !== null).slice(0, judgedRows)
  const questions = known.map(({ key }) => accessQuestion(table, key, as, types))
  const verdicts = questions.length === 0 ? [] : await judgeAccess(questions, signal)
  const seen = known.flatMap(({ id, cells }, at) => (verdicts[at] ? [[id!, cells] as const] : []))
  const asked = new Set(known.map(({ id }) => id!))
  return { rows: new Map(seen), asked, columns: namesOf(counted), count: counted.count?.value ?? null, isJudged: true }
}

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
