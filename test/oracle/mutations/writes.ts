// The role's permissions to write.

import type { View } from '../view.ts'
import {
  type Column,
  columnOf,
  type DeletePermission,
  fieldName,
  type InsertPermission,
  isGraphQLName,
  isWritable,
  type Relationship,
  type RootKey,
  type Table,
  tableOf,
  type Unique,
  type UpdatePermission,
  uniquesOf,
} from '../world.ts'

type Rooted = Exclude<RootKey, 'select' | 'select_by_pk' | 'select_aggregate'>

export class Writes {
  readonly view: View

  constructor(view: View) {
    this.view = view
  }

  insert(table: string): InsertPermission | null {
    const { role } = this.view
    if (role) return role.inserts.find((permission) => permission.table === table) ?? null
    return { table, columns: this.#allColumns(table), check: [], presets: [] }
  }

  update(table: string): UpdatePermission | null {
    const { role } = this.view
    if (role) return role.updates.find((permission) => permission.table === table) ?? null
    return { table, columns: this.#allColumns(table), filter: [], check: null, presets: [] }
  }

  delete(table: string): DeletePermission | null {
    const { role } = this.view
    return role ? (role.deletes.find((permission) => permission.table === table) ?? null) : { table, filter: [] }
  }

  #allColumns(table: string): readonly string[] {
    return tableOf(this.view.world, table).columns.map(({ id }) => id)
  }

  /** The columns that the role can set when it inserts. */
  insertable(table: string): readonly Column[] {
    return this.#writable(table, this.insert(table))
  }

  /** The columns that the role can set when it updates. */
  updatable(table: string): readonly Column[] {
    return this.#writable(table, this.update(table))
  }

  #writable(table: string, permission: InsertPermission | UpdatePermission | null): readonly Column[] {
    if (!permission) return []
    const { columns, presets } = permission
    return tableOf(this.view.world, table).columns.filter(
      (column) =>
        columns.includes(column.id) &&
        presets.every((preset) => preset.column !== column.id) &&
        fieldName(column) !== null &&
        isWritable(column),
    )
  }

  /** The relationships whose rows the role can insert together with a row. */
  relationships(table: string): readonly Relationship[] {
    const { world } = this.view
    const isGiven = ({ mapping, after }: Relationship) =>
      mapping.every(([own, theirs]) => isWritable(columnOf(world, after ? theirs : own)))
    return world.relationships.filter(
      (each) => each.table === table && this.insert(each.target) !== null && isGiven(each),
    )
  }

  /** The constraints that `on_conflict` can name; empty when the role has no `on_conflict`. */
  constraints(table: Table): readonly Unique[] {
    if (this.updatable(table.id).length === 0) return []
    return uniquesOf(table).filter(({ name }) => isGraphQLName(name))
  }

  /** Whether the role has a root field. */
  has(key: Rooted, table: Table): boolean {
    const { id } = table
    switch (key) {
      case 'insert':
        return this.insert(id) !== null
      case 'insert_one':
        return this.insert(id) !== null && this.view.permission(id) !== null
      case 'update':
      case 'update_many':
        return this.updatable(id).length > 0
      case 'update_by_pk':
        return this.updatable(id).length > 0 && this.view.hasKey(table)
      case 'delete':
        return this.delete(id) !== null
      case 'delete_by_pk':
        return this.delete(id) !== null && this.view.hasKey(table)
    }
  }
}
