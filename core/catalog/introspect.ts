// Reads tables from PostgreSQL's system catalog.

import { readFileSync } from 'node:fs'
import { compile, id, sql } from '../database/sql/sql.ts'
import type { Row, Transaction } from '../database/transaction.ts'
import { internalError } from '../errors/errors.ts'
import type { QualifiedName } from '../names/names.ts'
import { readComparisons } from './comparisons.ts'
import type {
  CatalogColumn,
  CatalogConstraint,
  CatalogForeignKey,
  CatalogTable,
  ChangeKind,
  Distribution,
  EnumValue,
  PgType,
  RelationKind,
  StatementForm,
} from './types.ts'

/** The part of a connection that introspection needs. */
export type Reader = Pick<Transaction, 'rows'>

const tablesQuery = readFileSync(new URL('./introspect.sql', import.meta.url), 'utf8')
const distributedQuery = readFileSync(new URL('./distributed.sql', import.meta.url), 'utf8')
const typesQuery = readFileSync(new URL('./types.sql', import.meta.url), 'utf8')

type ColumnRow = [
  name: string,
  number: number,
  type: number,
  notNull: boolean,
  hasDefault: boolean,
  generated: boolean,
  identity: string,
  comment: string | null,
  collation: [schema: string, name: string] | null,
]

type ConstraintRow = [
  name: string,
  oid: number,
  type: 'p' | 'u' | 'f',
  columns: number[],
  deferrable: boolean,
  period: boolean,
  proven: boolean,
  targetSchema: string | null,
  targetName: string | null,
  targetColumns: string[] | null,
]

/** The rules of an event (2: update, 3: insert, 4: delete), and the statement forms that return its rows. */
type RuleRow = [event: '2' | '3' | '4', alone: boolean | null, within: boolean]

const ruledChanges = { 2: 'update', 3: 'insert', 4: 'delete' } as const satisfies Record<string, ChangeKind>

interface TableRow extends Row {
  readonly oid: number
  readonly schema: string
  readonly name: string
  readonly kind: keyof typeof relationKinds
  readonly effectful: boolean
  readonly inherited: boolean
  readonly mayBeDistributed: boolean
  readonly comment: string | null
  /** The bits of `pg_relation_is_updatable`. */
  readonly updatability: number
  /** The rules that replace or extend a change, by its kind. */
  readonly rules: readonly RuleRow[] | null
  /** The events with rules on relations behind a view. */
  readonly rulesBehind: readonly RuleRow[0][] | null
  readonly columns: readonly ColumnRow[] | null
  readonly constraints: readonly ConstraintRow[] | null
}

const relationKinds = {
  r: 'table',
  p: 'partitioned',
  v: 'view',
  m: 'materialized',
  f: 'foreign',
} as const satisfies Record<string, RelationKind>

/**
 * The named tables that exist, in no particular order. It takes two queries, however many names are given, and a third
 * where Citus is installed.
 */
export async function introspect(reader: Reader, names: readonly QualifiedName[]): Promise<CatalogTable[]> {
  if (names.length === 0) return []
  const pairs = [names.map(({ schema }) => schema), names.map(({ name }) => name)]
  const { rows, types } = await readWithTypes(reader, {
    read: () => reader.rows<TableRow>(tablesQuery, pairs),
    typesOf: ({ columns }) => columns?.map(([, , type]) => type) ?? [],
  })
  const distributions = await readDistributions(reader, rows)
  return rows.map((row) => catalogTable(row, types, distributions.get(row.oid)))
}

/** The placements of the tables that Citus knows, by OID. */
async function readDistributions(
  reader: Reader,
  rows: readonly TableRow[],
): Promise<ReadonlyMap<number, Distribution>> {
  if (!rows[0]?.mayBeDistributed) return new Map()
  const found = await reader.rows<Row & Distribution & { oid: number }>(distributedQuery, [rows.map(({ oid }) => oid)])
  return new Map(found.map(({ oid, kind, column }) => [oid, { kind, column }]))
}

/** Types by OID. */
export type Types = ReadonlyMap<number, PgType>

/** The number of attempts if other sessions keep dropping types between the two queries. */
const mostReadings = 10

/**
 * Rows and the types that they name. If a type is dropped between the two queries, the rows are stale and read again.
 */
export async function readWithTypes<R>(
  reader: Reader,
  { read, typesOf }: { read(): Promise<R[]>; typesOf(row: R): readonly number[] },
): Promise<{ readonly rows: readonly R[]; readonly types: Types }> {
  for (let left = mostReadings; left > 0; left--) {
    const rows = await read()
    const named = new Set(rows.flatMap(typesOf))
    const types = await readTypes(reader, named)
    if (types.size === named.size) return { rows, types }
  }
  throw internalError('other sessions kept dropping types of tables or functions while the catalog was read')
}

/** The external view of types; columns of the same type share one object. */
async function readTypes(reader: Reader, oids: ReadonlySet<number>): Promise<Types> {
  if (oids.size === 0) return new Map()
  const rows = await reader.rows<Row & PgType & { asked: number; oid: number; comparedBy: string }>(typesQuery, [
    [...oids],
  ])
  const comparisons = await readComparisons(reader, rows)
  return new Map(
    rows.flatMap(({ asked, comparedBy: _, isEnumDomain, isTableRow, ...type }) => {
      const comparison = comparisons.get(type.oid)
      const flags = { ...(isEnumDomain && { isEnumDomain }), ...(isTableRow && { isTableRow }) }
      // A missing type makes the caller read again.
      return comparison ? [[asked, { ...type, ...flags, comparison }] as const] : []
    }),
  )
}

function catalogTable(row: TableRow, types: Types, distribution: Distribution | undefined): CatalogTable {
  const columns = (row.columns ?? []).map((column) => catalogColumn(column, types))
  const columnNames = new Map(columns.map(({ name, number }) => [number, name]))
  const ofType = (type: 'p' | 'u' | 'f') => (row.constraints ?? []).filter((constraint) => constraint[2] === type)
  const [primaryKey] = ofType('p')
  return {
    schema: row.schema,
    name: row.name,
    oid: row.oid,
    kind: relationKinds[row.kind],
    isEffectful: row.effectful,
    isInherited: row.inherited,
    comment: row.comment,
    columns,
    primaryKey: primaryKey ? catalogConstraint(primaryKey, columnNames) : null,
    uniqueConstraints: ofType('u').map((constraint) => catalogConstraint(constraint, columnNames)),
    foreignKeys: ofType('f').map((constraint) => foreignKey(constraint, columnNames, row)),
    ...changesOf(row),
    enumValues: null,
    ...(distribution && { distribution }),
  }
}

/** The changes that are allowed. Those that rules rewrite are allowed if a statement form returns the rows. */
function changesOf({
  updatability,
  rules,
  rulesBehind,
}: TableRow): Pick<CatalogTable, 'insertable' | 'updatable' | 'deletable' | 'rewritten'> {
  const behind = (rulesBehind ?? []).map((event) => [ruledChanges[event], 'alone'] as const)
  const own = (rules ?? []).map((rule) => [ruledChanges[rule[0]], statementForm(rule)] as const)
  const rewritten = new Map<ChangeKind, StatementForm | null>([...behind, ...own])
  const isAllowed = (bit: number, kind: ChangeKind) => (updatability & bit) !== 0 && rewritten.get(kind) !== null
  return {
    insertable: isAllowed(8, 'insert'),
    updatable: isAllowed(4, 'update'),
    deletable: isAllowed(16, 'delete'),
    ...(rewritten.size > 0 && { rewritten: Object.fromEntries(rewritten) }),
  }
}

/** Null: no form returns the rows. */
function statementForm([, alone, within]: RuleRow): StatementForm | null {
  if (alone) return 'alone'
  return within ? 'within' : null
}

function catalogColumn(row: ColumnRow, types: Types): CatalogColumn {
  const [name, number, type, notNull, hasDefault, generated, identity, comment, collation] = row
  return {
    name,
    number,
    type: types.get(type)!,
    nullable: !notNull,
    hasDefault: hasDefault && !generated,
    generated,
    identity,
    comment,
    ...(collation && { collation: { schema: collation[0], name: collation[1] } }),
  }
}

function catalogConstraint(row: ConstraintRow, columns: ReadonlyMap<number, string>): CatalogConstraint {
  const [name, oid, , numbers, isDeferrable, isPeriod] = row
  return {
    ...{ name, oid, columns: numbers.map((number) => columns.get(number)!) },
    ...(isDeferrable && { isDeferrable }),
    ...(isPeriod && { isPeriod }),
  }
}

function foreignKey(
  row: ConstraintRow,
  columns: ReadonlyMap<number, string>,
  { inherited }: Pick<TableRow, 'inherited'>,
): CatalogForeignKey {
  const [, , , , , , isProven, schema, name, targetColumns] = row
  return {
    ...catalogConstraint(row, columns),
    ...((!isProven || inherited) && { isUnproven: true }),
    target: { schema: schema!, name: name! },
    targetColumns: targetColumns!,
  }
}

/** The column with the values of an enum table; null if its primary key cannot hold enum values. */
export function enumKeyColumn(table: CatalogTable): CatalogColumn | null {
  const [name, ...others] = table.primaryKey?.columns ?? []
  const column = table.columns.find((candidate) => candidate.name === name)
  return column && others.length === 0 && column.type.sql === 'text' ? column : null
}

/** The rows of an enum table, in the table's own order; null if its primary key cannot hold enum values. */
export async function fetchEnumValues(reader: Reader, table: CatalogTable): Promise<EnumValue[] | null> {
  const key = enumKeyColumn(table)
  if (!key) return null
  const [other, ...others] = table.columns.filter((column) => column !== key)
  const comment = other && others.length === 0 && other.type.sql === 'text' ? other : null
  const commentSql = comment ? id(comment.name) : sql`null::text`
  const from = id(table.schema, table.name)
  const { text } = compile(sql`select ${id(key.name)} as value, ${commentSql} as comment from ${from}`)
  return reader.rows<Row & EnumValue>(text)
}
