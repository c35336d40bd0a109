// PostgreSQL types by the names of their scalars.

import { builtInType, type ObjectRef, type PgType, type SliceContext } from '../../sdk/metadata.ts'

/** PostgreSQL types whose scalars have other names. */
const renamed: Readonly<Record<string, string>> = { smallint: 'int2', bigint: 'int8' }

const own = [
  ...['bytea', 'oid', 'json', 'jsonb', 'jsonpath', 'xml', 'float8', 'numeric', 'money', 'uuid', 'bit', 'varbit'],
  ...['date', 'time', 'timetz', 'timestamp', 'timestamptz', 'interval', 'bpchar', 'tsvector', 'tsquery', 'pg_lsn'],
  ...['point', 'lseg', 'path', 'box', 'polygon', 'line', 'circle', 'macaddr', 'macaddr8', 'inet', 'cidr'],
  ...['int4range', 'int8range', 'numrange', 'tsrange', 'tstzrange', 'daterange', 'int4multirange', 'int8multirange'],
  ...['nummultirange', 'tsmultirange', 'tstzmultirange', 'datemultirange', 'name', 'xid', 'xid8', 'cid', 'tid'],
  ...[
    'gtsvector',
    'regclass',
    'regcollation',
    'regtype',
    'regproc',
    'regprocedure',
    'regoper',
    'regoperator',
    'regrole',
    'regnamespace',
    'regconfig',
  ],
  ...['regdictionary', 'refcursor', 'pg_snapshot', 'txid_snapshot', 'aclitem', 'int2vector', 'oidvector'],
]

const builtIn: ReadonlyMap<string, PgType> = new Map([
  ...own.map((name) => [name, builtInType(name)] as const),
  ...Object.entries(renamed).map(([name, type]) => [name, builtInType(type)] as const),
])

/**
 * The only tracked table that has columns of a type, as the column, or as the table if several columns have the type. Null for
 * built-in types, and for types that several tables use.
 */
export function soleSource(name: string, context: Pick<SliceContext, 'catalog'>): ObjectRef | null {
  if (builtIn.has(name)) return null
  const sources = [...context.catalog.tables.values()].flatMap((table) => {
    const columns = table.columns.filter(({ type }) => type.name === name && type.schema !== 'pg_catalog')
    return columns.length > 0 ? [{ table: { schema: table.schema, name: table.name }, columns }] : []
  })
  const [source, ...others] = sources
  if (!source || others.length > 0) return null
  const { table, columns } = source
  return columns.length === 1 ? { kind: 'column', table, name: columns[0]!.name } : { kind: 'table', table }
}

/** The type of a scalar: a built-in type, or the type of a tracked table's column. */
export function databaseType(name: string, context: Pick<SliceContext, 'catalog'>): PgType | undefined {
  const known = builtIn.get(name)
  if (known) return known
  for (const { columns } of context.catalog.tables.values()) {
    const column = columns.find(({ type }) => type.name === name && type.schema !== 'pg_catalog')
    if (column) return column.type
  }
  return undefined
}
