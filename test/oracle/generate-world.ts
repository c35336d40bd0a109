// Random worlds: tables with rows, relationships between them, and roles.

import type { Draw } from './draw.ts'
import type { Session } from './generate-filters.ts'
import { drawInheritedRole, drawRole } from './generate-roles.ts'
import { colourTable, drawTable, drawView, sequenceStart } from './generate-tables.ts'
import { columnTypes } from './types.ts'
import type { Relationship, Role, Table, TableFunction, World } from './world.ts'

const tableNames = ['author', 'book', 'order', 'Group', 'user', 'page_view', 'node', 'tag_2'] as const

/** A whole world. With `inherited`, roles may inherit from others. */
export function drawWorld(draw: Draw, options: { readonly inherited: boolean }): World {
  const mayHide = draw.chance(0.5)
  const tables: Table[] = draw.chance(0.5) ? [colourTable] : []
  const names = draw.shuffled(tableNames).slice(0, draw.integer(3, 6))
  for (const [i, name] of names.entries()) tables.push(drawTable(draw, { id: `table#${i}`, name, mayHide }, tables))
  tables.push(
    ...draw
      .some(
        tables.filter(({ isEnum }) => !isEnum),
        0.2,
      )
      .map((table) => drawView(draw, table)),
  )
  const relationships = drawRelationships(draw, tables)
  const bare: World = { tables, relationships, functions: [], roles: [], sequences: sequencesOf(tables) }
  const session: Session = {}
  const plain = ['reader', 'guest'].slice(0, draw.integer(1, 2)).map((name) => drawRole(draw, name, bare, session))
  const isInherited = options.inherited && plain.length > 1
  const roles = isInherited ? [...plain, drawInheritedRole(draw, 'both', { ...bare, roles: plain }, session)] : plain
  const functions = draw.times(1, 3, (i) => drawFunction(draw, draw.pick(tables), i, roles))
  return { ...bare, roles, functions }
}

function drawFunction(draw: Draw, table: Table, i: number, roles: readonly Role[]): TableFunction {
  const root = draw.chance(0.5) ? 'query' : 'mutation'
  const row = table.primaryKey.length > 0 && table.rows.length > 0 && draw.chance(0.3) ? draw.pick(table.rows) : null
  const able = roles.filter(({ selects }) => selects.some((granted) => granted.table === table.id))
  const granted = root === 'mutation' || (able.length > 0 && draw.chance(0.3))
  const names = granted ? draw.some(able, 0.7).map(({ name }) => name) : null
  // A query function without permissions is open to all who see its rows.
  const isOpen = root === 'query' && names?.length === 0
  return { id: `function#${i}`, name: `call_${i}`, table: table.id, root, row, roles: isOpen ? null : names }
}

const sequencesOf = (tables: readonly Table[]): World['sequences'] =>
  Object.fromEntries(
    tables
      .flatMap(({ columns }) => columns)
      .filter((column) => column.default?.kind === 'sequence')
      .map(({ id }) => [id, sequenceStart]),
  )

function drawRelationships(draw: Draw, tables: readonly Table[]): readonly Relationship[] {
  const all: Relationship[] = []
  const add = (relationship: Omit<Relationship, 'id' | 'name'>, name: string) =>
    all.push({ ...relationship, id: `relationship#${all.length}`, name: `${name}_${all.length}` })
  for (const { id, foreignKeys } of tables) {
    for (const { column, table: target, target: key } of foreignKeys) {
      const byForeignKey = draw.chance(0.8)
      if (draw.chance(0.85)) {
        const after = !byForeignKey && draw.chance(0.3)
        add({ type: 'object', table: id, target, mapping: [[column, key]], byForeignKey, after }, 'parent')
      }
      const back = { table: target, target: id, mapping: [[key, column]], byForeignKey } as const
      if (draw.chance(0.85)) add({ ...back, type: 'array', after: true }, 'children')
      if (draw.chance(0.2)) add({ ...back, type: 'object', after: byForeignKey || draw.chance(0.7) }, 'child')
    }
  }
  for (const table of tables) {
    if (!draw.chance(table.view ? 0.7 : 0.4)) continue
    const target = draw.pick(tables)
    const mapping = drawMapping(draw, table, target)
    const type = draw.chance(0.7) ? 'array' : 'object'
    if (mapping.length === 0) continue
    const after = type === 'array' || draw.chance(0.5)
    add({ type, table: table.id, target: target.id, mapping, byForeignKey: false, after }, 'match')
  }
  return all
}

/** One or two pairs of columns of the same type. */
function drawMapping(draw: Draw, { columns }: Table, target: Table): readonly (readonly [string, string])[] {
  const able = columns.filter(({ type }) => columnTypes[type].compare !== null)
  const pairs = draw.shuffled(able).flatMap(({ id, type }) => {
    const partners = target.columns.filter((column) => column.type === type)
    return partners.length > 0 ? [[id, draw.pick(partners).id] as const] : []
  })
  return pairs.slice(0, draw.chance(0.8) ? 1 : 2)
}
