// The world in a real database.

import type { TestTrellis } from '../support/trellis.ts'
import { worldLines } from './ask.ts'
import { computedFunction, metadataOf } from './metadata.ts'
import { readServerVersion } from './server-version.ts'
import { type ColumnType, columnTypes, typeNames } from './types.ts'
import {
  type Column,
  columnOf,
  type ForeignKey,
  primaryKeyOf,
  type Row,
  type Table,
  tableOf,
  type ViewOf,
  type World,
} from './world.ts'

/** Schemas that worlds use. */
export const schemas = ['public', 'shop'] as const

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const qualified = ({ schema, name }: Pick<Table, 'schema' | 'name'>): string =>
  `${quoted(schema)}.${quoted(name)}`

/** The statements that create the types of a world. */
export function typeSql(world: World): string[] {
  const types = new Set(world.tables.flatMap(({ columns }) => columns.map(({ type }) => type)))
  return [...types].flatMap((type) => columnTypes[type].setup ?? [])
}

/** The statements that create the tables. */
export const tableSql = (world: World): string[] => world.tables.map((table) => createSql(table, world))

function createSql(table: Table, world: World): string {
  if (table.view) return viewSql(table, table.view, world)
  const names = (columns: readonly string[]) => columns.map((id) => quoted(columnOf(world, id).name)).join(', ')
  const parts = table.columns.map((column) => columnSql(column, world))
  const key = primaryKeyOf(table)
  if (key) parts.push(`constraint ${quoted(key.name)} primary key (${names(key.columns)})`)
  for (const { name, columns, nullsAreEqual } of table.uniques) {
    const nulls = nullsAreEqual ? ' nulls not distinct' : ''
    parts.push(`constraint ${quoted(name)} unique${nulls} (${names(columns)})`)
  }
  for (const { name, column, not } of table.checks) {
    const value = valueSql(columnTypes[columnOf(world, column).type], not)
    parts.push(`constraint ${quoted(name)} check (${names([column])} <> ${value})`)
  }
  for (const key of table.foreignKeys) parts.push(foreignKeySql(key, world))
  return `create table ${qualified(table)} (${parts.join(', ')})`
}

/** The statements that create the functions. */
export const functionSql = (world: World): string[] => [
  ...world.tables.flatMap((table) => (table.computed ?? []).map((field) => computedSql(table, field, world))),
  ...world.functions.map(({ name, table, root, row }) => {
    const of = tableOf(world, table)
    const returned = `${row === null ? 'setof ' : ''}${qualified(of)}`
    const volatility = root === 'query' ? 'stable' : 'volatile'
    const body = `select * from ${qualified(of)}${row === null ? '' : ` where ${keySql(of, row, world)}`}`
    return `create function public.${name}() returns ${returned} language sql ${volatility} as $f$${body}$f$`
  }),
]

function computedSql(table: Table, { name, type, computedOf }: Column, world: World): string {
  const returned = bareType(columnTypes[type])
  const body = `select r.${quoted(columnOf(world, computedOf!).name)}`
  const called = quoted(computedFunction(table, name))
  return `create function public.${called}(r ${qualified(table)}) returns ${returned} language sql stable as $f$${body}$f$`
}

const keySql = ({ primaryKey }: Table, row: Row, world: World): string =>
  primaryKey
    .map((id) => {
      const { name, type } = columnOf(world, id)
      return `${quoted(name)} = ${valueSql(columnTypes[type], row[id]!.datum)}`
    })
    .join(' and ')

function viewSql(table: Table, view: ViewOf, world: World): string {
  const columns = view.columns.map(([, base]) => quoted(columnOf(world, base).name))
  return `create view ${qualified(table)} as select ${columns.join(', ')} from ${qualified(tableOf(world, view.of))}`
}

const serialTypes: Readonly<Record<string, string>> = { smallint: 'smallserial', bigint: 'bigserial' }

function columnSql({ name, type, nullable, default: value }: Column, world: World): string {
  const words = [quoted(name), columnTypes[type].sql]
  if (value?.kind === 'constant') words.push(`default ${valueSql(columnTypes[type], value.datum)}`)
  if (value?.kind === 'double') {
    words.push(`generated always as (${quoted(columnOf(world, value.of).name)}::numeric * 2) ${value.sort}`)
  }
  if (value?.kind === 'sequence') {
    const sort = value.sort === 'identity always' ? 'always' : 'by default'
    if (value.sort === 'serial') words[1] = serialTypes[type] ?? 'serial'
    else words.push(`generated ${sort} as identity`)
  }
  return `${words.join(' ')}${nullable ? '' : ' not null'}`
}

function foreignKeySql({ name, column, table, target, ...rules }: ForeignKey, world: World): string {
  const [from, to] = [column, target].map((id) => quoted(columnOf(world, id).name))
  const referenced = `${qualified(tableOf(world, table))} (${to})`
  const actions = `on delete ${rules.onDelete} on update ${rules.onUpdate}${rules.isDeferred ? ' deferrable initially deferred' : ''}`
  return `constraint ${quoted(name)} foreign key (${from}) references ${referenced} ${actions}`
}

const literalSql = (value: string): string => `'${value.replaceAll("'", "''")}'`

const valueSql = (type: ColumnType, datum: Parameters<ColumnType['text']>[0]): string =>
  `${literalSql(type.text(datum))}::${bareType(type)}`

const bareType = ({ sql }: ColumnType): string => sql.replace(/ collate .*/, '')

/** The columns that receive values. */
const filledColumns = ({ columns }: Table) => columns.filter((column) => column.default?.kind !== 'double')

/** The statement that fills a table, with separate values; null when the table has no rows. */
export function rowsSql(table: Table): { readonly text: string; readonly values: readonly (string | null)[] } | null {
  const columns = filledColumns(table)
  if (table.rows.length === 0 || columns.length === 0 || table.view) return null
  const values: (string | null)[] = []
  const rows = table.rows.map((row) => {
    const places = columns.map(({ id, type }) => {
      const stored = row[id] ?? null
      values.push(stored && columnTypes[type].text(stored.datum))
      return `$${values.length}::text::${bareType(columnTypes[type])}`
    })
    return `(${places.join(', ')})`
  })
  const names = columns.map(({ name }) => quoted(name)).join(', ')
  const text = `insert into ${qualified(table)} (${names}) overriding system value values ${rows.join(', ')}`
  return { text, values }
}

/** The name of a column's sequence, as a PostgreSQL literal. */
const sequenceSql = (table: Table, { name }: Column): string =>
  `pg_get_serial_sequence(${literalSql(qualified(table))}, ${literalSql(name)})`

/** The columns of a world that have sequences. */
export const sequenceColumns = (world: World) =>
  world.tables.flatMap((table) =>
    table.columns
      .filter((column) => column.default?.kind === 'sequence')
      .map((column) => ({ column: column.id, name: sequenceSql(table, column) })),
  )

/** The statements that set the sequences of a world. */
export const sequencesSql = (world: World): string[] =>
  sequenceColumns(world).map(({ column, name }) => {
    const last = world.sequences[column]
    return `select setval(${name}, ${last ?? 1n}, ${last !== undefined})`
  })

/** Prepares the database for worlds: permanent types, the time zone UTC, and the money format of the locale C. */
export async function prepare({ sql }: TestTrellis): Promise<void> {
  await readServerVersion(sql)
  for (const type of typeNames) await sql(columnTypes[type].setup ?? 'select')
  for (const schema of schemas) await sql(`create schema if not exists ${schema}`)
  const [{ name }] = (await sql('select current_database() as name')) as [{ name: string }]
  for (const parameter of ["timezone to 'UTC'", "lc_monetary to 'C'"]) {
    await sql(`alter database ${quoted(name)} set ${parameter}; set ${parameter}`)
  }
}

const dropTables = `do $$
  declare name text;
  begin
    for name in select format('%I.%I', schemaname, tablename) from pg_tables where schemaname in (${schemas.map(literalSql)}) loop
      execute 'drop table ' || name || ' cascade';
    end loop;
  end $$`

/** Replaces the previous world. */
async function deploy(world: World, { op, sql }: TestTrellis, stored: readonly string[]): Promise<void> {
  await op('clear_metadata', {})
  await sql([dropTables, ...tableSql(world), ...functionSql(world)].join(';'))
  await fill(world, sql)
  await op('reload_metadata', {})
  if (stored.length === 0) await op('replace_metadata', metadataOf(world))
  else await replaceWithStored(world, op, stored)
}

/** Stored texts of refused requests, and changes that the parents of an inherited role do not agree on. */
const tolerated = new Set(['rest_endpoint', 'query_collections', 'inherited role permission inconsistency'])

/** Stored texts that name objects which not even an administrator has stay inconsistent. */
async function replaceWithStored(world: World, op: TestTrellis['op'], stored: readonly string[]): Promise<void> {
  const args = { allow_inconsistent_metadata: true, metadata: metadataOf(world, stored) }
  const answer = await op('replace_metadata', args, { version: 2 })
  const { inconsistent_objects: objects = [] } = answer as { inconsistent_objects?: readonly { type: string }[] }
  const other = objects.find(({ type }) => !tolerated.has(type))
  if (other) throw new Error(`inconsistent: ${JSON.stringify(other)}`)
}

/**
 * Deploys a world, and endpoints for stored texts. Returns false when the server refuses a simplified one; other failures throw an error with the
 * world.
 */
export async function deployed(
  world: World,
  trellis: TestTrellis,
  isSimplified: boolean,
  stored: readonly string[] = [],
): Promise<boolean> {
  try {
    await deploy(world, trellis, stored)
    return true
  } catch (error) {
    if (isSimplified) return false
    throw new Error([(error as Error).message, ...worldLines(world)].join('\n'), { cause: error })
  }
}

/** Replaces the rows of all tables by those of a world. */
export async function refill(world: World, sql: TestTrellis['sql']): Promise<void> {
  const tables = world.tables.filter(({ view }) => !view)
  await sql(`truncate ${tables.map(qualified).join(', ')} cascade`)
  await fill(world, sql)
}

async function fill(world: World, sql: TestTrellis['sql']): Promise<void> {
  for (const table of world.tables) {
    const insert = rowsSql(table)
    if (insert) await sql(insert.text, insert.values)
  }
  for (const text of sequencesSql(world)) await sql(text)
}
