// The access of roles to tables. It combines permissions (the administrator has all rights) with the narrowings of
// plugins. Planners get finished rows and changes, and never see the conditions that are merged into them.

import { LRUCache } from 'lru-cache'
import { always } from '../compiler/plan/plan.ts'
import { type Model, rowCondition, type TableModel, type TablePermissions } from '../metadata/document/model.ts'
import { nameKey, type QualifiedName } from '../names/names.ts'
import type { Session } from '../session/session.ts'
import {
  type DeleteAccess,
  type InsertAccess,
  PermittedDelete,
  PermittedInsert,
  PermittedUpdate,
  type UpdateAccess,
} from './changes.ts'
import { composedPermissions, grantors, type RoleParents, type SharedObject, sharedChanges } from './composed.ts'
import { Narrower, type Narrowing, type OwnedNarrowing } from './narrowing.ts'
import { PermittedRows, type SelectAccess } from './rows.ts'
import { maxRoles } from './tuning.ts'

/** The rights of a role on a table; null: the role lacks that right. */
export interface TableAccess {
  readonly table: TableModel
  readonly select: SelectAccess | null
  readonly insert: InsertAccess | null
  readonly update: UpdateAccess | null
  readonly delete: DeleteAccess | null
}

/** The rights of a role on the tables of one generation of the model. */
export interface RoleAccess {
  /** Null if the table is not served. */
  get(name: QualifiedName): TableAccess | null
  /** The roles that the role has a right from: itself if it has the right, else its parents that have it. */
  grantors(has: (role: string) => boolean): readonly string[]
}

/** The roles of a generation of the model that are composed of others; null without such roles. */
export type Composition = (model: Model) => RoleParents | null

/** The parts of a session that permissions depend on. */
export type Accessor = Pick<Session, 'role' | 'backendOnly'>

/** The objects of a model that are granted to roles, apart from permissions on tables. */
export type SharedObjects = (model: Model) => Iterable<SharedObject>

/** Narrowings that an access leaves out. */
export interface AccessOptions {
  /** The names of narrowings that the calling plugin has declared. */
  readonly without?: readonly string[]
}

/** The access of all roles, narrowed by plugins. */
export interface AccessService {
  /** Narrows the access of all roles; must be called while a plugin is registered. */
  narrow(narrowing: Narrowing): void
  /** Composes roles of others; must be called while a plugin is registered, by one plugin. */
  compose(composition: Composition): void
  /** Adds objects of a plugin that a composed role may use as its parents do if they agree. */
  share(objects: SharedObjects): void
  /** All such objects of a model. */
  shared(model: Model): Iterable<SharedObject>
  /** The roles with permissions on tables, and composed roles. */
  roles(model: Model): ReadonlySet<string>
  /**
   * The rights of a role in a generation of the model; `without` leaves out narrowings of the calling plugin. Throws for
   * the name of another plugin's narrowing.
   */
  of(model: Model, accessor: Accessor, options?: AccessOptions): RoleAccess
}

export class Access {
  readonly #narrowings: OwnedNarrowing[] = []
  readonly #kept = new WeakMap<Model, LRUCache<string, RoleAccess>>()
  #composition: Composition | null = null
  readonly #shared: SharedObjects[] = []
  #isAsked = false

  /** The access as the plugin `owner` sees it. */
  forPlugin(owner: string): AccessService {
    return {
      narrow: (narrowing) => this.#narrow(narrowing, owner),
      compose: (composition) => {
        if (this.#composition) throw new Error('another plugin composes the roles already')
        this.#composition = composition
      },
      share: (objects) => void this.#shared.push(objects),
      shared: (model) => this.#sharedOf(model),
      roles: (model) => this.#rolesOf(model),
      of: (model, accessor, { without = [] } = {}) => {
        for (const name of without) this.#checkOwned(name, owner)
        return this.of(model, accessor, without)
      },
    }
  }

  *#sharedOf(model: Model): Iterable<SharedObject> {
    for (const table of model.tables.values()) yield* sharedChanges(table)
    for (const objects of this.#shared) yield* objects(model)
  }

  #rolesOf(model: Model): ReadonlySet<string> {
    const named = [...model.tables.values()].flatMap(({ permissions }) => [...permissions.keys()])
    return new Set([...named, ...(this.#composition?.(model)?.keys() ?? [])])
  }

  #narrow(narrowing: Narrowing, owner: string): void {
    const { name } = narrowing
    if (this.#isAsked)
      throw new Error(`the narrowing "${name}" was added too late: the engine is already serving requests`)
    const isTaken = this.#narrowings.some((other) => other.narrowing.name === name)
    if (isTaken) throw new Error(`the narrowing "${name}" is already declared`)
    this.#narrowings.push({ narrowing, owner })
  }

  #checkOwned(name: string, owner: string): void {
    const owned = this.#narrowings.find(({ narrowing }) => narrowing.name === name)
    if (!owned) throw new Error(`no plugin has declared the narrowing "${name}"`)
    if (owned.owner === owner) return
    throw new Error(`only the plugin "${owned.owner}" may leave out its narrowing "${name}", not the plugin "${owner}"`)
  }

  /** The rights of a role in a generation of the model, without the named narrowings. */
  of(model: Model, { role, backendOnly }: Accessor, without: readonly string[] = []): RoleAccess {
    this.#isAsked = true
    let roles = this.#kept.get(model)
    if (!roles) {
      roles = new LRUCache({ max: maxRoles })
      this.#kept.set(model, roles)
    }
    const left = without.length === 0 ? '' : JSON.stringify(without.toSorted())
    const key = `${backendOnly ? 'b' : '-'} ${role}\u0000${left}`
    let access = roles.get(key)
    if (!access) {
      const held = this.#narrowings.filter(({ narrowing }) => !without.includes(narrowing.name))
      access = new RoleTables(model, { role, backendOnly, parents: this.#composition?.(model) ?? noParents }, held)
      roles.set(key, access)
    }
    return access
  }
}

const noParents: RoleParents = new Map()

interface ComposedAccessor extends Accessor {
  readonly parents: RoleParents
}

/** The access of a role by table, computed on first use. */
class RoleTables implements RoleAccess {
  readonly #model: Model
  readonly #accessor: ComposedAccessor
  readonly #narrower: Narrower
  readonly #byTable = new Map<string, TableAccess | null>()
  /** The same by names of the model, which are found sooner. */
  readonly #byName = new WeakMap<QualifiedName, TableAccess | null>()

  constructor(model: Model, accessor: ComposedAccessor, narrowings: readonly OwnedNarrowing[]) {
    this.#model = model
    this.#accessor = accessor
    this.#narrower = new Narrower(narrowings, accessor.role, model)
  }

  get(name: QualifiedName): TableAccess | null {
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    const key = nameKey(name)
    let access = this.#byTable.get(key)
    if (access === undefined) {
      const table = this.#model.tables.get(key)
      access = table ? this.#of(table) : null
      this.#byTable.set(key, access)
    }
    this.#byName.set(name, access)
    return access
  }

  #of(table: TableModel): TableAccess {
    const { insertable, updatable, deletable } = table.catalog
    const granted = this.#granted(table)
    const insert = insertable ? this.#shown(granted?.insert) : null
    const updated = updatable ? this.#shown(granted?.update) : null
    const deleted = deletable ? this.#shown(granted?.delete) : null
    const narrower = this.#narrower
    const update = updated && new PermittedUpdate(table, updated, narrower)
    return {
      table,
      select: granted?.select ? new PermittedRows(table, granted.select, narrower) : null,
      insert: insert && new PermittedInsert(table, insert, { update, narrower }),
      update,
      delete: deleted && new PermittedDelete(table, deleted, narrower),
    }
  }

  #granted(table: TableModel): TablePermissions | undefined {
    const { role, parents } = this.#accessor
    if (role === 'admin') return administrator(table)
    return parents.has(role)
      ? composedPermissions(table, { role, parents, model: this.#model })
      : table.permissions.get(role)
  }

  grantors(has: (role: string) => boolean): readonly string[] {
    const { role, parents } = this.#accessor
    return grantors(parents, role, has)
  }

  /** The permission, if the current session may use it. */
  #shown<P extends { readonly backendOnly: boolean }>(permission: P | undefined): P | null {
    return permission && (this.#accessor.backendOnly || !permission.backendOnly) ? permission : null
  }
}

function administrator(table: TableModel): Required<TablePermissions> {
  const columns = new Set(table.columns.keys())
  const computedFields = new Set<string>()
  for (const [name, field] of table.fields) {
    if (field.kind !== 'column' && field.kind !== 'relationship') computedFields.add(name)
  }
  const presets = new Map()
  const definition = {}
  const all = rowCondition(always)
  return {
    select: { columns, computedFields, filter: all, limit: null, allowAggregations: true },
    insert: { definition, columns, check: all, presets, backendOnly: false },
    update: { definition, columns, filter: all, check: null, presets, backendOnly: false },
    delete: { definition, filter: all, backendOnly: false },
  }
}
