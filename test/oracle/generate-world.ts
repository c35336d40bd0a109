// Random tables, rows, relationships and roles.

import type { Draw } from './draw.ts'
import { drawFilter } from './generate-expressions.ts'
import { columnTypes, type TypeName, typeNames } from './types.ts'
import {
  type Column,
  type ForeignKey,
  isGraphQLName,
  type Relationship,
  type Role,
  type Row,
  type SelectPermission,
  type Stored,
  type Table,
  type World,
} from './world.ts'

const tableNames = ['author', 'book', 'order', 'Group', 'user', 'page_view', 'node', 'tag_2'] as const

/** Words of SQL and GraphQL, aliases that a printer might use, and names that must be quoted. */
const columnNames = [
  ...['name', 'title', 'order', 'Group', 'user', 'select', 'where', 'limit', 'count', 'max', 'nodes', 'aggregate'],
  ...['j', 't0', 't1', 't2', 'row', 'value', 'member', 'kind', 'createdAt', '_x', 'id_', 'data', 'root', 'excluded'],
  ...['two words', 'größe', `x"y'z`, 'emoji 😀', 'a-b', 'Ünï'],
] as const

const keyTypes: readonly TypeName[] = ['int', 'int', 'bigint', 'uuid', 'text', 'varchar', 'date', 'numeric']

/** Types with operators of their own come more often. */
const plainTypes: readonly TypeName[] = [...typeNames, 'text', 'text', 'jsonb', 'jsonb']

/** A whole world. */
export function drawWorld(draw: Draw): World {
  const tables: Table[] = []
  const names = draw.shuffled(tableNames).slice(0, draw.integer(3, 6))
  for (const [i, name] of names.entries()) tables.push(drawTable(draw, `table#${i}`, name, tables))
  const relationships = drawRelationships(draw, tables)
  const bare: World = { tables, relationships, roles: [] }
  const roles = ['reader', 'guest'].slice(0, draw.integer(1, 2)).map((name) => drawRole(draw, name, bare))
  return { ...bare, roles }
}

function drawTable(draw: Draw, id: string, name: string, earlier: readonly Table[]): Table {
  const keySize = draw.either([1, () => 0], [5, () => 1], [2, () => 2])
  const keyColumns = Array.from({ length: keySize }, (_, i): Column => {
    const type = draw.pick(keyTypes)
    return { id: `${id}.key${i}`, name: i === 0 ? 'id' : 'key', type, nullable: false, customName: null }
  })
  const foreign = drawForeignKeys(draw, id, keyColumns, earlier)
  const others = draw.shuffled(columnNames).slice(0, draw.integer(2, 6))
  const plain = others.map((columnName, i): Column => {
    const nullable = draw.chance(0.6)
    return {
      id: `${id}.column${i}`,
      name: columnName,
      type: draw.pick(plainTypes),
      nullable,
      customName: null,
    }
  })
  const columns = withCustomNames(draw, draw.shuffled([...keyColumns, ...foreign.columns, ...plain]))
  const table: Table = {
    id,
    schema: draw.chance(0.8) ? 'public' : 'shop',
    name,
    columns,
    primaryKey: keyColumns.map((column) => column.id),
    foreignKeys: foreign.keys,
    customRoots: draw.chance(0.2) ? { select: `all_${name}`, select_by_pk: `one_${name}` } : {},
    rows: [],
  }
  return { ...table, rows: drawRows(draw, table, earlier) }
}

interface Foreign {
  readonly columns: readonly Column[]
  readonly keys: readonly ForeignKey[]
}

/** Foreign keys to single-column keys of earlier tables, or of the table itself. */
function drawForeignKeys(draw: Draw, id: string, own: readonly Column[], earlier: readonly Table[]): Foreign {
  const targets = earlier.flatMap((table) => {
    const [key, second] = table.primaryKey
    return key && !second ? [{ table: table.id, key: table.columns.find((column) => column.id === key)! }] : []
  })
  if (own.length === 1 && draw.chance(0.3)) targets.push({ table: id, key: own[0]! })
  const chosen = targets.length === 0 ? [] : draw.times(0, 3, () => draw.pick(targets))
  const made = chosen.map(({ table, key }, i) => {
    const nullable = table === id || draw.chance(0.5)
    const column: Column = { id: `${id}.ref${i}`, name: `ref_${i}`, type: key.type, nullable, customName: null }
    return { column, key: { column: column.id, table, target: key.id } }
  })
  return { columns: made.map(({ column }) => column), keys: made.map(({ key }) => key) }
}

/** Names for columns that GraphQL could not name, for some others, and now and then two names swapped. */
function withCustomNames(draw: Draw, columns: readonly Column[]): readonly Column[] {
  const named = columns.map((column, i) => {
    const wants = isGraphQLName(column.name) ? 0.15 : 0.7
    return draw.chance(wants) ? { ...column, customName: `field${i}` } : column
  })
  const plain = named.filter((column) => column.customName === null && isGraphQLName(column.name))
  const [first, second] = draw.shuffled(plain)
  if (!first || !second || !draw.chance(0.1)) return named
  const swapped = new Map([
    [first, { ...first, customName: second.name }],
    [second, { ...second, customName: first.name }],
  ])
  return named.map((column) => swapped.get(column) ?? column)
}

function drawRows(draw: Draw, table: Table, earlier: readonly Table[]): readonly Row[] {
  const rows: Row[] = []
  const count = draw.either([1, () => 0], [4, () => draw.integer(1, 5)], [7, () => draw.integer(6, 12)])
  for (let i = 0; i < count; i++) {
    const row = drawRow(draw, table, rows, earlier)
    if (row && !rows.some((other) => hasSameKey(table, row, other))) rows.push(row)
  }
  return rows
}

/** Null when a reference has nothing to refer to. */
function drawRow(draw: Draw, table: Table, before: readonly Row[], earlier: readonly Table[]): Row | null {
  const row: { [column: string]: Stored } = {}
  for (const { id, type, nullable } of table.columns) {
    if (nullable && draw.chance(0.25)) {
      row[id] = null
      continue
    }
    const key = table.foreignKeys.find(({ column }) => column === id)
    if (!key) {
      row[id] = { datum: columnTypes[type].draw(draw) }
      continue
    }
    const targets = key.table === table.id ? before : earlier.find((other) => other.id === key.table)!.rows
    const target = targets.length > 0 ? draw.pick(targets)[key.target]! : null
    if (!target && !nullable) return null
    row[id] = target
  }
  return row
}

function hasSameKey({ columns, primaryKey }: Table, a: Row, b: Row): boolean {
  if (primaryKey.length === 0) return false
  return columns
    .filter(({ id }) => primaryKey.includes(id))
    .every(({ id, type }) => columnTypes[type].compare(a[id]!.datum, b[id]!.datum) === 0)
}

function drawRelationships(draw: Draw, tables: readonly Table[]): readonly Relationship[] {
  const all: Relationship[] = []
  const add = (relationship: Omit<Relationship, 'id' | 'name'>, name: string) =>
    all.push({ ...relationship, id: `relationship#${all.length}`, name: `${name}_${all.length}` })
  for (const { id, foreignKeys } of tables) {
    for (const { column, table: target, target: key } of foreignKeys) {
      const byForeignKey = draw.chance(0.8)
      if (draw.chance(0.85)) {
        add({ type: 'object', table: id, target, mapping: [[column, key]], byForeignKey }, 'parent')
      }
      if (draw.chance(0.85)) {
        add({ type: 'array', table: target, target: id, mapping: [[key, column]], byForeignKey }, 'children')
      }
    }
  }
  for (const table of tables) {
    if (!draw.chance(0.4)) continue
    const target = draw.pick(tables)
    const mapping = drawMapping(draw, table, target)
    const type = draw.chance(0.7) ? 'array' : 'object'
    if (mapping.length > 0) add({ type, table: table.id, target: target.id, mapping, byForeignKey: false }, 'match')
  }
  return all
}

/** One or two pairs of columns of equal type. */
function drawMapping(draw: Draw, { columns }: Table, target: Table): readonly (readonly [string, string])[] {
  const pairs = draw.shuffled(columns).flatMap(({ id, type }) => {
    const partners = target.columns.filter((column) => column.type === type)
    return partners.length > 0 ? [[id, draw.pick(partners).id] as const] : []
  })
  return pairs.slice(0, draw.chance(0.8) ? 1 : 2)
}

function drawRole(draw: Draw, name: string, world: World): Role {
  const session: { [variable: string]: string } = {}
  const permissions = draw.some(world.tables, 0.85).map((table): SelectPermission => {
    const ids = table.columns.map(({ id }) => id)
    return {
      table: table.id,
      columns: draw.chance(0.3) ? ids : draw.some(ids, draw.pick([0.2, 0.7, 0.8])),
      filter: draw.chance(0.25) ? [] : drawFilter(draw, table, world, session),
      limit: draw.chance(0.25) ? draw.integer(0, 4) : null,
      aggregations: draw.chance(0.7),
    }
  })
  return { name, permissions, session }
}
