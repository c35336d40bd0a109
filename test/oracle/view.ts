// A role's view of the world.

import { holds } from './conditions.ts'
import type { Coverage } from './coverage.ts'
import {
  type Column,
  columnOf,
  fieldName,
  Invalid,
  type Relationship,
  type Role,
  type Row,
  relationshipOf,
  rowsThere,
  type SelectPermission,
  type Table,
  tableOf,
  type World,
} from './world.ts'

export class View {
  readonly world: World
  readonly role: Role | null
  /** Counts the comparisons of the role's filters. */
  readonly coverage: Coverage | undefined
  readonly #rows = new Map<string, readonly Row[]>()

  constructor(world: World, roleName: string | null, coverage?: Coverage) {
    this.world = world
    this.coverage = coverage
    this.role = roleName === null ? null : (world.roles.find(({ name }) => name === roleName) ?? null)
    if (roleName !== null && !this.role) throw new Invalid(`there is no role ${roleName}`)
  }

  /** Null when the role may not select from the table. */
  permission(table: string): SelectPermission | null {
    if (this.role) return this.role.selects.find((permission) => permission.table === table) ?? null
    const columns = tableOf(this.world, table).columns.map(({ id }) => id)
    return { table, columns, filter: [], limit: null, aggregations: true }
  }

  /** The permission, which must exist. */
  require(table: string): SelectPermission {
    const permission = this.permission(table)
    if (!permission) throw new Invalid(`${table} is not visible`)
    return permission
  }

  get tables(): readonly Table[] {
    return this.world.tables.filter(({ id }) => this.permission(id) !== null)
  }

  /** The columns that the role can name. */
  columns(table: string): readonly Column[] {
    const allowed = this.permission(table)?.columns ?? []
    return tableOf(this.world, table).columns.filter(
      (column) => allowed.includes(column.id) && fieldName(column) !== null,
    )
  }

  requireColumn(id: string): Column {
    const table = this.world.tables.find(({ columns }) => columns.some((column) => column.id === id))
    if (!table || !this.columns(table.id).some((column) => column.id === id)) throw new Invalid(`${id} is not visible`)
    return columnOf(this.world, id)
  }

  /** The relationships that the role can name. */
  relationships(table: string): readonly Relationship[] {
    return this.world.relationships.filter(
      ({ table: from, target }) => from === table && this.permission(target) !== null,
    )
  }

  requireRelationship(id: string, table: string, type?: Relationship['type']): Relationship {
    const relationship = relationshipOf(this.world, id)
    this.require(relationship.target)
    if (relationship.table !== table || (type && relationship.type !== type)) throw new Invalid(`${id} is not there`)
    return relationship
  }

  /** Whether rows can be fetched by their key. */
  hasKey({ id, primaryKey }: Table): boolean {
    const visible = this.columns(id).map((column) => column.id)
    return primaryKey.length > 0 && primaryKey.every((column) => visible.includes(column))
  }

  /** The visible rows that pass the role's filter. */
  rows(table: string): readonly Row[] {
    let rows = this.#rows.get(table)
    if (!rows) {
      const { filter } = this.require(table)
      const { world, coverage } = this
      rows = rowsThere(world, table).filter((row) => holds(filter, row, { world, view: null, run: 0, coverage }))
      this.#rows.set(table, rows)
    }
    return rows
  }
}
