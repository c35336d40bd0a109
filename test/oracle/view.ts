// A role's view of the world.

import { sameStored } from './aggregates.ts'
import { holds } from './conditions.ts'
import type { Coverage } from './coverage.ts'
import {
  type Column,
  columnOf,
  fieldName,
  fieldsOf,
  functionOf,
  Invalid,
  type Relationship,
  type Role,
  type Row,
  relationshipOf,
  rowsThere,
  type SelectPermission,
  type Stored,
  type Table,
  type TableFunction,
  tableOf,
  valueIn,
  type World,
} from './world.ts'

/** A select permission that counts for a role. */
interface Contributor {
  readonly role: string
  readonly granted: SelectPermission
}

/** The roles that a role has a right from: itself, else those of its parents that have it. */
function grantors<T>(role: Role, world: World, grant: (role: Role) => T | null): readonly T[] {
  const own = grant(role)
  if (own !== null) return [own]
  const parents = world.roles.filter(({ name }) => role.parents?.includes(name))
  return parents.flatMap((parent) => grantors(parent, world, grant))
}

const shows = ({ columns, computed = [] }: SelectPermission, id: string): boolean =>
  columns.includes(id) || computed.includes(id)

/** The permission of a role that has all of these. */
function united(all: readonly SelectPermission[]): SelectPermission | null {
  const [first, second] = all
  if (!first || !second) return first ?? null
  const limits = all.map(({ limit }) => limit)
  return {
    table: first.table,
    columns: [...new Set(all.flatMap(({ columns }) => columns))],
    computed: [...new Set(all.flatMap(({ computed = [] }) => computed))],
    filter: [{ kind: 'or', of: all.map(({ filter }) => filter), bare: false }],
    limit: limits.includes(null) ? null : Math.max(...limits.map(Number)),
    aggregations: all.some(({ aggregations }) => aggregations),
  }
}

/** The contributors on both sides that a relationship may tie rows for. */
function pairsOf(
  here: readonly Contributor[],
  there: readonly Contributor[],
  mapping: Relationship['mapping'],
): readonly (readonly [Contributor, Contributor])[] {
  const showing = (all: readonly Contributor[], place: 0 | 1) =>
    all.filter(({ granted }) => mapping.every((pair) => shows(granted, pair[place])))
  const comparing = showing(there, 1)
  return [
    ...showing(here, 0).flatMap((left) => comparing.map((right) => [left, right] as const)),
    ...here.flatMap((left) => there.filter(({ role }) => role === left.role).map((right) => [left, right] as const)),
  ]
}

export class View {
  readonly world: World
  readonly role: Role | null
  /** Counts the comparisons of the role's filters. */
  readonly coverage: Coverage | undefined
  readonly #granted = new Map<string, readonly Contributor[]>()
  readonly #rows = new Map<string, readonly Row[]>()

  constructor(world: World, roleName: string | null, coverage?: Coverage) {
    this.world = world
    this.coverage = coverage
    this.role = roleName === null ? null : (world.roles.find(({ name }) => name === roleName) ?? null)
    if (roleName !== null && !this.role) throw new Invalid(`there is no role ${roleName}`)
  }

  /** Null when the role may not select from the table. */
  permission(table: string): SelectPermission | null {
    if (this.role) return united(this.#contributors(table).map(({ granted }) => granted))
    const columns = tableOf(this.world, table).columns.map(({ id }) => id)
    const computed = (tableOf(this.world, table).computed ?? []).map(({ id }) => id)
    return { table, columns, computed, filter: [], limit: null, aggregations: true }
  }

  /** The select permissions that count for the role: its own, or those of its parents. */
  #contributors(table: string): readonly Contributor[] {
    let found = this.#granted.get(table)
    if (!found) {
      const grant = (role: Role): Contributor | null => {
        const granted = role.selects.find((permission) => permission.table === table)
        return granted ? { role: role.name, granted } : null
      }
      found = grantors(this.role!, this.world, grant)
      this.#granted.set(table, found)
    }
    return found
  }

  /** Whether a contributor sees a row. A role without parents sees all rows that it meets. */
  #sees({ granted }: Contributor, row: Row): boolean {
    if (!this.role?.parents) return true
    const { world, coverage } = this
    return holds(granted.filter, row, { world, view: null, run: 0, coverage })
  }

  /** The value of a column or computed field that the role sees: null where only parents allow it that do not see the row. */
  value(row: Row, column: Column): Stored {
    if (this.role?.parents) {
      const table = this.world.tables.find((each) => fieldsOf(each).some(({ id }) => id === column.id))!
      const showing = this.#contributors(table.id).filter(({ granted }) => shows(granted, column.id))
      if (!showing.some((each) => this.#sees(each, row))) return null
    }
    return valueIn(row, column)
  }

  /** Whether the role may know that a relationship ties two rows: one parent sees both, or it sees the columns of both. */
  ties({ table, target, mapping }: Relationship, row: Row, other: Row): boolean {
    if (!this.role?.parents) return true
    const [here, there] = [this.#contributors(table), this.#contributors(target)]
    return pairsOf(here, there, mapping).some(([left, right]) => this.#sees(left, row) && this.#sees(right, other))
  }

  /** The permission, which must exist. */
  require(table: string): SelectPermission {
    const permission = this.permission(table)
    if (!permission) throw new Invalid(`${table} is not visible`)
    return permission
  }

  /** The functions that are fields of a root for the role. */
  functions(root: TableFunction['root']): readonly TableFunction[] {
    return this.world.functions.filter((each) => each.root === root && this.mayCall(each))
  }

  /** Whether a function is a field for the role. */
  mayCall({ table, roles }: TableFunction): boolean {
    const { role } = this
    if (role === null) return true
    const granting = grantors(role, this.world, ({ name }) => (roles === null || roles.includes(name) ? name : null))
    return this.permission(table) !== null && granting.length > 0
  }

  /** The rows of a function that the role may see. */
  functionRows(id: string): readonly Row[] {
    const called = functionOf(this.world, id)
    if (!this.mayCall(called)) throw new Invalid(`${id} is not visible`)
    const { table, row } = called
    if (row === null) return this.rows(table)
    const { primaryKey } = tableOf(this.world, table)
    return this.rows(table).filter((other) =>
      primaryKey.every((column) =>
        sameStored(other[column] ?? null, row[column] ?? null, columnOf(this.world, column).type),
      ),
    )
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

  /** The computed fields that the role can name. */
  computed(table: string): readonly Column[] {
    const { computed = [] } = tableOf(this.world, table)
    const allowed = this.permission(table)?.computed ?? []
    return computed.filter(({ id }) => allowed.includes(id))
  }

  /** The columns and computed fields that the role can name. */
  fields(table: string): readonly Column[] {
    return [...this.columns(table), ...this.computed(table)]
  }

  /** The columns that have their values in all rows. */
  plain(table: string): readonly Column[] {
    if (!this.role?.parents) return this.columns(table)
    const all = this.#contributors(table)
    return this.columns(table).filter(({ id }) => all.every(({ granted }) => shows(granted, id)))
  }

  requireColumn(id: string): Column {
    return this.#required(id, (table) => this.fields(table))
  }

  /** A column whose values count by themselves. */
  requirePlain(id: string): Column {
    return this.#required(id, (table) => this.plain(table))
  }

  #required(id: string, able: (table: string) => readonly Column[]): Column {
    const table = this.world.tables.find((each) => fieldsOf(each).some((column) => column.id === id))
    if (!table || !able(table.id).some((column) => column.id === id)) throw new Invalid(`${id} is not visible`)
    return columnOf(this.world, id)
  }

  /** The relationships that the role can name. */
  relationships(table: string): readonly Relationship[] {
    return this.world.relationships.filter(
      (each) => each.table === table && this.permission(each.target) !== null && this.#mayTie(each),
    )
  }

  #mayTie({ table, target, mapping }: Relationship): boolean {
    if (!this.role?.parents) return true
    return pairsOf(this.#contributors(table), this.#contributors(target), mapping).length > 0
  }

  requireRelationship(id: string, table: string, type?: Relationship['type']): Relationship {
    const relationship = relationshipOf(this.world, id)
    this.require(relationship.target)
    if (!this.#mayTie(relationship)) throw new Invalid(`${id} ties no rows`)
    if (relationship.table !== table || (type && relationship.type !== type)) throw new Invalid(`${id} is not there`)
    return relationship
  }

  /** Whether rows can be fetched by their key. */
  hasKey({ id, primaryKey }: Table): boolean {
    const visible = this.plain(id).map((column) => column.id)
    return primaryKey.length > 0 && primaryKey.every((column) => visible.includes(column))
  }

  /** The visible rows that pass the role's filter. */
  rows(table: string): readonly Row[] {
    let rows = this.#rows.get(table)
    if (!rows) {
      this.require(table)
      const { world, coverage } = this
      const filters = this.role ? this.#contributors(table).map(({ granted }) => granted.filter) : [[]]
      const isSeen = (row: Row) => filters.some((filter) => holds(filter, row, { world, view: null, run: 0, coverage }))
      rows = rowsThere(world, table).filter(isSeen)
      this.#rows.set(table, rows)
    }
    return rows
  }
}
