// What a role may do with a table: its permissions, or everything for the administrator.

import { always } from '../compiler/plan.ts'
import type {
  DeletePermission,
  InsertPermission,
  Model,
  SelectPermission,
  TableModel,
  UpdatePermission,
} from '../metadata/model.ts'
import { nameKey, type QualifiedName } from '../names/names.ts'

export interface TableAccess {
  readonly table: TableModel
  readonly select: SelectPermission | null
  readonly insert: InsertPermission | null
  readonly update: UpdatePermission | null
  readonly delete: DeletePermission | null
}

/** The access of a role, by table, worked out on first use. */
export class RoleAccess {
  readonly #model: Model
  readonly #role: string
  readonly #backendOnly: boolean
  readonly #byTable = new Map<string, TableAccess | null>()

  constructor(model: Model, role: string, backendOnly: boolean) {
    this.#model = model
    this.#role = role
    this.#backendOnly = backendOnly
  }

  /** Null when the table is not served. */
  get(name: QualifiedName): TableAccess | null {
    const key = nameKey(name)
    let access = this.#byTable.get(key)
    if (access === undefined) {
      const table = this.#model.tables.get(key)
      access = table ? this.#of(table) : null
      this.#byTable.set(key, access)
    }
    return access
  }

  #of(table: TableModel): TableAccess {
    const { insertable, updatable, deletable } = table.catalog
    const granted = this.#role === 'admin' ? administrator(table) : table.permissions.get(this.#role)
    return {
      table,
      select: granted?.select ?? null,
      insert: insertable ? this.#shown(granted?.insert) : null,
      update: updatable ? this.#shown(granted?.update) : null,
      delete: deletable ? this.#shown(granted?.delete) : null,
    }
  }

  /** A permission that the session at hand may use. */
  #shown<P extends { readonly backendOnly: boolean }>(permission: P | undefined): P | null {
    return permission && (this.#backendOnly || !permission.backendOnly) ? permission : null
  }
}

function administrator(table: TableModel) {
  const columns = new Set(table.columns.keys())
  const computedFields = new Set<string>()
  for (const [name, field] of table.fields) {
    if (field.kind !== 'column' && field.kind !== 'relationship') computedFields.add(name)
  }
  const presets = new Map()
  return {
    select: { columns, computedFields, filter: always, limit: null, allowAggregations: true },
    insert: { columns, check: always, presets, backendOnly: false },
    update: { columns, filter: always, check: null, presets, backendOnly: false },
    delete: { filter: always, backendOnly: false },
  }
}
