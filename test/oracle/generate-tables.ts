// Random tables with rows.

import { checkViolation, conflicting, withGenerated } from './constraints.ts'
import type { Draw } from './draw.ts'
import { serverVersion } from './server-version.ts'
import { colours, columnTypes, type TypeName, typeNames } from './types.ts'
import {
  type Action,
  type Check,
  type Column,
  type Default,
  type ForeignKey,
  isGraphQLName,
  isWritable,
  type Row,
  rootKeys,
  type Stored,
  type Table,
  type Unique,
  uniquesOf,
  viewRow,
} from './world.ts'

/** SQL and GraphQL keywords, aliases that a printer might use, and names that need quotes. */
const columnNames = [
  ...['name', 'title', 'order', 'Group', 'user', 'select', 'where', 'limit', 'count', 'max', 'nodes', 'aggregate'],
  ...['j', 't0', 't1', 't2', 'row', 'value', 'member', 'kind', 'createdAt', '_x', 'id_', 'data', 'root', 'excluded'],
  ...['two words', 'größe', `x"y'z`, 'emoji 😀', 'a-b', 'Ünï', 'old', 'objects', 'on_conflict', 'returning'],
] as const

const keyTypes: readonly TypeName[] = [
  ...(['int', 'int', 'int', 'bigint', 'bigint', 'smallint', 'uuid', 'text', 'varchar', 'date', 'numeric'] as const),
  ...(['citext', 'char', 'timestamp', 'mood', 'inet'] as const),
]

/** Types with special operators are more frequent. */
const plainTypes: readonly TypeName[] = [
  ...typeNames,
  'int',
  'text',
  'citext',
  'jsonb',
  'jsonb',
  'jsonb',
  'jsonb',
  'colour',
]

/** The table that columns of the type `colour` refer to. */
export const colourTable: Table = {
  id: 'colour',
  schema: 'public',
  name: 'colour',
  columns: ['value', 'comment'].map((name): Column => {
    return { id: `colour.${name}`, name, type: 'text', nullable: name === 'comment', customName: null, default: null }
  }),
  primaryKey: ['colour.value'],
  uniques: [],
  checks: [],
  foreignKeys: [],
  customRoots: {},
  isEnum: true,
  view: null,
  rows: colours.map((value) => ({ 'colour.value': { datum: value }, 'colour.comment': null })),
}

/** The initial value of sequences in a new world. */
export const sequenceStart = 100n

export interface TableOptions {
  readonly id: string
  readonly name: string
  /** Whether some of its rows may be hidden from everyone. */
  readonly mayHide: boolean
}

export function drawTable(draw: Draw, { id, name, mayHide }: TableOptions, earlier: readonly Table[]): Table {
  const keySize = draw.either([1, () => 0], [5, () => 1], [2, () => 2])
  const keyColumns = Array.from({ length: keySize }, (_, i): Column => {
    const type = draw.pick(keyTypes)
    const counts = keySize === 1 && ['int', 'bigint', 'smallint'].includes(type) && draw.chance(0.6)
    const column = { id: `${id}.key${i}`, name: i === 0 ? 'id' : 'key', type, nullable: false, customName: null }
    return { ...column, default: counts ? drawSequence(draw) : null }
  })
  const foreign = drawForeignKeys(draw, { id, name }, keyColumns, earlier)
  const hasEnum = earlier.includes(colourTable)
  const hiding = mayHide && draw.chance(0.7) ? [drawHidingColumn(draw, id)] : []
  const plain = [...drawPlainColumns(draw, id, hasEnum), ...hiding]
  const generated = draw.chance(0.25) ? drawGenerated(draw, id, [...keyColumns, ...plain]) : []
  const columns = withCustomNames(draw, draw.shuffled([...keyColumns, ...foreign.columns, ...plain, ...generated]))
  const table: Table = {
    id,
    schema: draw.chance(0.8) ? 'public' : 'shop',
    name,
    columns,
    computed: drawComputed(draw, columns),
    primaryKey: keyColumns.map((column) => column.id),
    uniques: drawUniques(draw, name, columns, keyColumns),
    checks: draw.times(0, 1, (i) => drawCheck(draw, `${name}_c${i}`, columns)).filter((check) => check !== null),
    foreignKeys: [...foreign.keys, ...enumKeys(name, plain)],
    customRoots: draw.chance(0.2) ? Object.fromEntries(draw.some(rootKeys).map((key) => [key, `${key}_${name}`])) : {},
    isEnum: false,
    view: null,
    rows: [],
  }
  return { ...table, rows: drawRows(draw, table, earlier) }
}

/** Types that functions of computed fields may return. */
const computedTypes = new Set<TypeName>([
  'smallint',
  'int',
  'bigint',
  'numeric',
  'text',
  'varchar',
  'boolean',
  'date',
  'uuid',
  'jsonb',
])

/** Computed fields that return the values of columns. */
const drawComputed = (draw: Draw, columns: readonly Column[]): readonly Column[] =>
  draw
    .some(
      columns.filter(({ type }) => computedTypes.has(type)),
      0.15,
    )
    .map(({ id, type }, i) => {
      const column = { id: `${id}.computed`, name: `computed_${i}`, type, nullable: true, customName: null }
      return { ...column, default: null, computedOf: id }
    })

/** A view of some columns of a table. */
export function drawView(draw: Draw, base: Table): Table {
  const able = base.columns.filter(isWritable)
  const chosen = draw.some(able, 0.85)
  const id = `view of ${base.id}`
  const pairs = (chosen.length > 0 ? chosen : able).map((column) => {
    // A view hides the fact that a column refers to an enum table.
    const type = column.type === 'colour' ? 'text' : column.type
    const own: Column = { ...column, id: `${id} ${column.id}`, type, nullable: true, default: null }
    return { own, base: column.id }
  })
  const view = { of: base.id, columns: pairs.map(({ own, base: column }) => [own.id, column] as const) }
  return {
    ...base,
    ...{ id, name: `${base.name}_view`, columns: pairs.map(({ own }) => own), computed: [], view },
    ...{ primaryKey: [], uniques: [], checks: [], foreignKeys: [], customRoots: {} },
    rows: base.rows.map((row) => viewRow(view, row)),
  }
}

const drawSequence = (draw: Draw): Default => {
  return { kind: 'sequence', sort: draw.pick(['serial', 'serial', 'identity by default', 'identity always'] as const) }
}

function drawPlainColumns(draw: Draw, id: string, hasEnum: boolean): readonly Column[] {
  const names = draw.shuffled(columnNames).slice(0, draw.integer(2, 6))
  const types: TypeName[] = []
  return names.map((name, i): Column => {
    // Columns of the same type can be compared with each other.
    const drawn = types.length > 0 && draw.chance(0.3) ? draw.pick(types) : draw.pick(plainTypes)
    const type = drawn === 'colour' && !hasEnum ? 'text' : drawn
    types.push(type)
    const datum = draw.chance(0.2) ? columnTypes[type].draw(draw) : null
    const column = { id: `${id}.column${i}`, name, type, nullable: draw.chance(0.6), customName: null }
    return { ...column, default: datum === null ? null : { kind: 'constant', datum } }
  })
}

/** A column that hides rows; if it is never null, deleting a row hides it. */
function drawHidingColumn(draw: Draw, id: string): Column {
  const column = { id: `${id}.hidden`, name: 'hidden', type: 'boolean', nullable: draw.chance(0.5) } as const
  const value: Default | null = draw.chance(0.5) ? { kind: 'constant', datum: false } : null
  return { ...column, customName: null, default: value }
}

/** A generated column, if there is a column to double. */
function drawGenerated(draw: Draw, id: string, columns: readonly Column[]): readonly Column[] {
  const sources = columns.filter(({ type }) => columnTypes[type].arithmetic === 'exact')
  if (sources.length === 0) return []
  const of = draw.pick(sources).id
  const sort = draw.pick(['stored', 'virtual'] as const)
  const doubled: Default = { kind: 'double', of, sort: serverVersion() < 18 ? 'stored' : sort }
  const column = { id: `${id}.double`, name: 'double', type: 'numeric', nullable: true, customName: null } as const
  return [{ ...column, default: doubled }]
}

interface Foreign {
  readonly columns: readonly Column[]
  readonly keys: readonly ForeignKey[]
}

/** Foreign keys to single-column keys of earlier tables, or of the table itself. */
function drawForeignKeys(
  draw: Draw,
  { id, name }: Pick<Table, 'id' | 'name'>,
  own: readonly Column[],
  earlier: readonly Table[],
): Foreign {
  const targets = earlier.flatMap((table) => {
    const [key, second] = table.primaryKey
    return key && !second && !table.isEnum
      ? [{ table: table.id, key: table.columns.find((column) => column.id === key)! }]
      : []
  })
  if (own.length === 1 && draw.chance(0.3)) targets.push({ table: id, key: own[0]! })
  const chosen = targets.length === 0 ? [] : draw.times(0, 3, () => draw.pick(targets))
  const made = chosen.map(({ table, key }, i) => {
    const nullable = table === id || draw.chance(0.5)
    const column: Column = {
      ...{ id: `${id}.ref${i}`, name: `ref_${i}`, type: key.type, nullable, customName: null },
      default: null,
    }
    const actions: readonly Action[] = [
      'no action',
      'no action',
      'cascade',
      ...(nullable ? (['set null'] as const) : []),
    ]
    const [onDelete, onUpdate] = [draw.pick(actions), draw.pick(actions)]
    const isDeferred = draw.chance(0.15)
    return {
      column,
      key: { name: `${name}_f${i}`, column: column.id, table, target: key.id, onDelete, onUpdate, isDeferred },
    }
  })
  return { columns: made.map(({ column }) => column), keys: made.map(({ key }) => key) }
}

const enumKeys = (name: string, columns: readonly Column[]): readonly ForeignKey[] =>
  columns
    .filter(({ type }) => type === 'colour')
    .map(({ id }, i) => ({
      ...{ name: `${name}_e${i}`, column: id, table: colourTable.id, target: 'colour.value' },
      ...{ onDelete: 'no action', onUpdate: 'no action', isDeferred: false },
    }))

const isConstrainable = ({ type, default: value }: Column): boolean =>
  columnTypes[type].compare !== null && value?.kind !== 'double'

/** Constraints that differ from each other and from the key: PostgreSQL merges equal ones. */
function drawUniques(
  draw: Draw,
  name: string,
  columns: readonly Column[],
  keyColumns: readonly Column[],
): readonly Unique[] {
  const able = columns.filter(isConstrainable)
  const taken = new Set([keyColumns.map(({ id }) => id).join()])
  const uniques = able.length === 0 ? [] : draw.times(0, 2, () => draw.few(able, 2).map(({ id }) => id))
  return uniques.flatMap((ids, i) => {
    if (taken.has(ids.join())) return []
    taken.add(ids.join())
    const unique = { columns: ids, nullsAreEqual: draw.chance(0.25) && serverVersion() >= 15 }
    return [{ name: draw.chance(0.9) ? `${name}_u${i}` : `${name}-odd${i}`, ...unique }]
  })
}

function drawCheck(draw: Draw, name: string, columns: readonly Column[]): Check | null {
  const able = columns.filter(isConstrainable)
  if (able.length === 0) return null
  const { id, type } = draw.pick(able)
  return { name, column: id, not: columnTypes[type].draw(draw) }
}

/** Custom names for columns that GraphQL cannot name and for some others; sometimes two names are swapped. */
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
    if (!row || checkViolation(row, table)) continue
    if (!uniquesOf(table).some((unique) => conflicting(unique, row, rows, table))) rows.push(row)
  }
  return rows
}

/** Null when a reference has no possible target. */
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
  return withGenerated(row, table)
}
