// The two schemas of the system tables: one for the views that data operations read, and one in which SQL finds all tables by
// the names of v1.3.

import { createHash } from 'node:crypto'
import { nameKey, type QualifiedName } from '../../sdk/index.ts'
import type { Transaction } from '../../sdk/sql.ts'
import { systemTables } from './views.ts'

/** Holds only views, so it may be dropped when the tables under them change. */
const viewSchema = 'trellis_system'

/** The real schema and name of a system table. */
export function placeOf(name: string): QualifiedName {
  const [schema, table] = name.split('.')
  if (table !== undefined) return { schema: schema!, name: table }
  return systemTables[name]?.query === undefined ? { schema: 'trellis', name } : { schema: viewSchema, name }
}

const viewStatements = Object.entries(systemTables).flatMap(([name, { query }]) =>
  query === undefined ? [] : [`create view ${viewSchema}.${name} as ${query}`],
)

/** Creates the views that data operations read, unless they are up to date. */
export async function makeViews(transaction: Transaction): Promise<void> {
  const digest = digestOf(viewStatements)
  const comment = await commentOf(transaction, viewSchema)
  if (comment === digest) return
  await transaction.script(`drop schema if exists ${viewSchema} cascade; create schema ${viewSchema}`)
  await transaction.script([...viewStatements, markOf(viewSchema, digest)].join(';'))
}

/** The comment of the schema with v1.3's names begins with this if Trellis created the schema. */
const ownMark = 'system tables '

/** Whether the view is created: a v1.3 server that found `hdb_version` would take the schema for its own. */
const isNamed = (name: string): boolean => name !== 'hdb_version' && !name.includes('.')

/**
 * Creates a view for each existing table in the schema that clients know. A schema of that name that Trellis did not create is
 * left alone. The views do not depend on the other schema, which may be dropped, since users' views may depend on them.
 */
export async function makeNamedViews(
  transaction: Transaction,
  schema: string,
  there: readonly QualifiedName[],
): Promise<void> {
  const places = new Set(there.map(nameKey))
  const names = Object.keys(systemTables).filter((name) => isNamed(name) && places.has(nameKey(placeOf(name))))
  const statements = names.map((name) => `create view ${schema}.${name} as ${namedQuery(name)}`)
  const digest = ownMark + digestOf(statements)
  const comment = await commentOf(transaction, schema)
  if (comment === digest || (comment !== undefined && !comment?.startsWith(ownMark))) return
  const views = await transaction.rows<{ name: string }>(
    `select viewname::text as name from pg_views where schemaname = $1`,
    [schema],
  )
  const drops = views.flatMap(({ name }) => (name in systemTables ? [`drop view ${schema}.${name}`] : []))
  const start = comment === undefined ? [`create schema ${schema}`] : drops
  await transaction.script([...start, ...statements, markOf(schema, digest)].join(';'))
}

/** The query lists the columns of Trellis' tables, so that migrations can drop other columns although views exist. */
function namedQuery(name: string): string {
  const { query, columns } = systemTables[name]!
  return query ?? `select ${columns} from trellis.${name}`
}

const digestOf = (statements: readonly string[]): string =>
  createHash('sha256').update(statements.join(';')).digest('hex')

const markOf = (schema: string, mark: string): string => `comment on schema ${schema} is '${mark}'`

/** The comment of a schema, which names its views; undefined without the schema. The lock admits one instance at a time. */
async function commentOf(transaction: Transaction, schema: string): Promise<string | null | undefined> {
  await transaction.rows('lock table trellis.metadata in share row exclusive mode')
  const [found] = await transaction.rows<{ comment: string | null }>(
    `select obj_description(oid, 'pg_namespace') as comment from pg_namespace where nspname = $1`,
    [schema],
  )
  return found?.comment
}
