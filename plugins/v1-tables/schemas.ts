// The schemas of the system tables: one that holds what is made for them, and one in which SQL finds all of them under the
// names that clients know.

import { createHash } from 'node:crypto'
import { nameKey, type QualifiedName } from '../../sdk/index.ts'
import type { Transaction } from '../../sdk/sql.ts'
import { systemTables } from './views.ts'

/** Holds the views and nothing else: what they are made from may be taken away by dropping it. */
const viewSchema = 'trellis_system'

/** Where a system table really is. */
export function placeOf(name: string): QualifiedName {
  const [schema, table] = name.split('.')
  if (table !== undefined) return { schema: schema!, name: table }
  return systemTables[name]?.query === undefined ? { schema: 'trellis', name } : { schema: viewSchema, name }
}

const viewStatements = Object.entries(systemTables).flatMap(([name, { query }]) =>
  query === undefined ? [] : [`create view ${viewSchema}.${name} as ${query}`],
)

/** Makes the views that data operations read, unless they are there. */
export async function makeViews(transaction: Transaction): Promise<void> {
  const digest = digestOf(viewStatements)
  const comment = await commentOf(transaction, viewSchema)
  if (comment === digest) return
  await transaction.script(`drop schema if exists ${viewSchema} cascade; create schema ${viewSchema}`)
  await transaction.script([...viewStatements, markOf(viewSchema, digest)].join(';'))
}

/** What the comment of the schema of those names begins with, if it is ours. */
const named = 'system tables '

/** Whether SQL finds it: a server of v1.3 that finds its version there takes the rest for its own. */
const isNamed = (name: string): boolean => name !== 'hdb_version' && !name.includes('.')

/**
 * Makes a view of each table that there is in the schema that clients know. A schema of that name which something else
 * made is left as it is. The views stand on nothing of ours that may be dropped, since others' views may stand on them.
 */
export async function makeNamedViews(
  transaction: Transaction,
  schema: string,
  there: readonly QualifiedName[],
): Promise<void> {
  const places = new Set(there.map(nameKey))
  const names = Object.keys(systemTables).filter((name) => isNamed(name) && places.has(nameKey(placeOf(name))))
  const statements = names.map((name) => `create view ${schema}.${name} as ${namedQuery(name)}`)
  const digest = named + digestOf(statements)
  const comment = await commentOf(transaction, schema)
  if (comment === digest || (comment !== undefined && !comment?.startsWith(named))) return
  const views = await transaction.rows<{ name: string }>(
    `select viewname::text as name from pg_views where schemaname = $1`,
    [schema],
  )
  const drops = views.flatMap(({ name }) => (name in systemTables ? [`drop view ${schema}.${name}`] : []))
  const start = comment === undefined ? [`create schema ${schema}`] : drops
  await transaction.script([...start, ...statements, markOf(schema, digest)].join(';'))
}

/** The columns of our own tables are listed, so that others may be taken away where views stand on the table. */
function namedQuery(name: string): string {
  const { query, columns } = systemTables[name]!
  return query ?? `select ${columns} from trellis.${name}`
}

const digestOf = (statements: readonly string[]): string =>
  createHash('sha256').update(statements.join(';')).digest('hex')

const markOf = (schema: string, mark: string): string => `comment on schema ${schema} is '${mark}'`

/** The comment of a schema tells which views it holds. Undefined: there is no such schema. One instance at a time. */
async function commentOf(transaction: Transaction, schema: string): Promise<string | null | undefined> {
  await transaction.rows('lock table trellis.metadata in share row exclusive mode')
  const [found] = await transaction.rows<{ comment: string | null }>(
    `select obj_description(oid, 'pg_namespace') as comment from pg_namespace where nspname = $1`,
    [schema],
  )
  return found?.comment
}
