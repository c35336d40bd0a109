// `suggest_indexes`: indexes that permissions and relationships would use, and that the database does not have.

import { badRequest, type Engine, nameKey, type QualifiedName, Type } from '../../sdk/index.ts'
import { type OperationContext, operation } from '../../sdk/metadata.ts'
import { TurnTaker } from '../../sdk/services.ts'
import { always, type Change, type Condition, isOrdered } from '../../sdk/sql.ts'
import { type NeededIndex, neededBy } from './needed-indexes.ts'

const Name = Type.Object({ schema: Type.String(), name: Type.String() })

const Reason = Type.Union([
  Type.Object({ kind: Type.Literal('permission'), table: Name, role: Type.String(), action: Type.String() }),
  Type.Object({ kind: Type.Literal('relationship'), table: Name, name: Type.String() }),
])

type Reason = typeof Reason.static

const Suggestion = Type.Object(
  {
    table: Name,
    columns: Type.Array(Type.String()),
    estimated_rows: Type.Union([Type.Integer(), Type.Null()]),
    reasons: Type.Array(Reason),
    ddl: Type.String({ examples: ['create index on "public"."invoice" ("customer_id")'] }),
  },
  { title: 'SuggestedIndex' },
)

/** Reasons of a suggestion that an answer lists. */
const mostReasons = 100

/** Tables with the columns that valid indexes on all rows begin with. */
const indexed = `
  select n.nspname::text as schema, c.relname::text as name, nullif(c.reltuples, -1)::float8 as rows,
    array(
      select distinct a.attname::text
      from pg_catalog.pg_index i
      join pg_catalog.pg_class x on x.oid = i.indexrelid
      join pg_catalog.pg_am m on m.oid = x.relam
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
      where i.indrelid = c.oid and i.indisvalid and i.indpred is null and m.amname in ('btree', 'hash')
    ) as leading
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join unnest($1::text[], $2::text[]) as wanted (schema, name) on n.nspname = wanted.schema and c.relname = wanted.name
  where c.relkind in ('r', 'p', 'm')`

interface IndexedTable extends Record<string, unknown> {
  readonly schema: string
  readonly name: string
  readonly rows: number | null
  readonly leading: readonly string[]
}

type Wanted = NeededIndex & { readonly reason: Reason }

/** `suggest_indexes`. */
export const suggestIndexes = ({ access }: Pick<Engine, 'access'>) =>
  operation({
    type: 'suggest_indexes',
    about: {
      summary: 'Lists indexes that permissions and relationships would use, and that the database does not have.',
      result: Type.Object({ suggestions: Type.Array(Suggestion) }),
    },
    args: Type.Object({ role: Type.Optional(Type.String()) }),
    access: 'any',
    editsMetadata: false,
    onlyReads: true,
    async handle(context, { role }) {
      const wanted = await wantedIndexes(context, access, role)
      return { suggestions: await missing(context, wanted) }
    },
  })

/** The needs of the permissions of all roles or of one, and of the relationships that it may follow. */
async function wantedIndexes(
  { model }: OperationContext,
  access: Engine['access'],
  role: string | undefined,
): Promise<readonly Wanted[]> {
  const turns = new TurnTaker()
  const known = new Set([...model.tables.values()].flatMap(({ permissions }) => [...permissions.keys()]))
  if (role !== undefined && !known.has(role)) {
    throw badRequest('not-exists', `role ${JSON.stringify(role)} has no permission`, { path: ['role'] })
  }
  const wanted: Wanted[] = []
  for (const each of role === undefined ? known : [role]) {
    const ofRole = access.of(model, { role: each, backendOnly: false })
    for (const { name: table, permissions } of model.tables.values()) {
      await turns.next()
      if (!permissions.has(each)) continue
      const { select, update, delete: deletion } = ofRole.get(table) ?? {}
      const filters = {
        select: select?.rows().where,
        update: filterOf(update?.change({ assignments: [], where: always })),
        delete: filterOf(deletion?.change(always)),
      }
      for (const [action, filter] of Object.entries(filters)) {
        const reason: Reason = { kind: 'permission', table, role: each, action }
        if (filter) wanted.push(...neededBy(filter, table).map((need) => ({ ...need, reason })))
      }
    }
  }
  const reader = role === undefined ? null : access.of(model, { role, backendOnly: false })
  const isRead = (table: QualifiedName) => reader === null || reader.get(table)?.select != null
  for (const { name: table, fields } of model.tables.values()) {
    await turns.next()
    for (const field of fields.values()) {
      if (field.kind !== 'relationship' || !isRead(table) || !isRead(field.target)) continue
      const reason: Reason = { kind: 'relationship', table, name: field.name }
      wanted.push({ table: field.target, columns: field.mapping.map(([, column]) => column), reason })
    }
  }
  return wanted
}

const filterOf = (change: Change | undefined): Condition | undefined =>
  change && change.kind !== 'insert' ? change.where : undefined

/** Those that no index serves, the largest tables first. */
async function missing({ transaction, model }: OperationContext, wanted: readonly Wanted[]) {
  const names = [...new Map(wanted.map(({ table }) => [nameKey(table), table])).values()]
  const found = await transaction.rows<IndexedTable>(indexed, [
    names.map(({ schema }) => schema),
    names.map(({ name }) => name),
  ])
  const tables = new Map(found.map((table) => [nameKey(table), table]))
  const suggestions = new Map<string, { need: NeededIndex; rows: number | null; reasons: Reason[] }>()
  for (const { reason, ...need } of wanted) {
    const table = tables.get(nameKey(need.table))
    const columns = model.tables.get(nameKey(need.table))?.columns
    const isSortable = need.columns.every((name) => columns?.has(name) && isOrdered(columns.get(name)!.type))
    if (!table || !isSortable || need.columns.some((name) => table.leading.includes(name))) continue
    const key = JSON.stringify([nameKey(need.table), need.columns])
    const reasons = suggestions.get(key)?.reasons ?? []
    const isNew = !reasons.some((each) => JSON.stringify(each) === JSON.stringify(reason))
    if (isNew && reasons.length < mostReasons) reasons.push(reason)
    suggestions.set(key, { need, rows: table.rows, reasons })
  }
  const listed = [...suggestions.values()].map(({ need: { table, columns }, rows, reasons }) => {
    return { table, columns, estimated_rows: rows, reasons, ddl: ddlOf({ table, columns }) }
  })
  return listed.sort((a, b) => (b.estimated_rows ?? 0) - (a.estimated_rows ?? 0) || (a.ddl < b.ddl ? -1 : 1))
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const ddlOf = ({ table: { schema, name }, columns }: NeededIndex): string =>
  `create index on ${quoted(schema)}.${quoted(name)} (${columns.map(quoted).join(', ')})`
