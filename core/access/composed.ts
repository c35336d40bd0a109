// The permissions of a role that is composed of parents. Its own permission on a table takes the place of theirs. It may
// select all that any parent may, and change rows as its parents do if they agree.

import { isDeepStrictEqual } from 'node:util'
import type { Condition } from '../compiler/plan/plan.ts'
import {
  conditionOf,
  type DefinedPermission,
  type Model,
  type RelationshipModel,
  type RootFieldVisibility,
  type RowCondition,
  type RowPair,
  rowCondition,
  type SelectMasks,
  type SelectPermission,
  type TableModel,
  type TablePermissions,
} from '../metadata/document/model.ts'
import type { ObjectRef } from '../metadata/document/objects.ts'
import { nameKey, nameText, type QualifiedName } from '../names/names.ts'
import { mayCompare, readColumns } from './transformed-columns.ts'

/** The parents of composed roles, which may be composed too, without cycles. */
export type RoleParents = ReadonlyMap<string, readonly string[]>

/** The roles that a role has a right from: itself if it has the right, else those of its parents that have it. */
export function grantors(parents: RoleParents, role: string, has: (role: string) => boolean): readonly string[] {
  const found = new Set<string>()
  const seen = new Set<string>()
  const visit = (each: string): void => {
    if (seen.has(each)) return
    seen.add(each)
    if (has(each)) found.add(each)
    else parents.get(each)?.forEach(visit)
  }
  visit(role)
  return [...found]
}

/** The kinds of permissions to change rows. */
export const changeKinds = ['insert', 'update', 'delete'] as const

/** The one permission of all these roles; undefined if there is no such permission, null if they differ. */
export function agreed<K extends (typeof changeKinds)[number]>(
  kind: K,
  roles: readonly string[],
  { permissions }: Pick<TableModel, 'permissions'>,
): TablePermissions[K] | null {
  const given = roles.map((role) => permissions.get(role)?.[kind])
  const [first, ...others] = given
  return first === undefined || others.every((each) => each && isSame(first, each)) ? first : null
}

type Changing = DefinedPermission & { readonly columns?: ReadonlySet<string> }

const isSame = (a: Changing, b: Changing): boolean =>
  a === b ||
  (isDeepStrictEqual(a.columns, b.columns) &&
    isDeepStrictEqual({ ...a.definition, columns: null }, { ...b.definition, columns: null }))

/** An object that a composed role may use as its parents do if they agree, and not at all if they differ. */
export interface SharedObject {
  readonly ref: ObjectRef
  /** As reasons call it. */
  text(source: string): string
  /** As listings name it. */
  listed(source: string): Readonly<Record<string, unknown>>
  /** Whether these roles, to which it is granted, may do the same. */
  agree(roles: readonly string[]): boolean
  isGranted(role: string): boolean
}

/** The permissions to change rows of a table. */
export function* sharedChanges(table: TableModel): Iterable<SharedObject> {
  const { name, permissions } = table
  const listedTable = name.schema === 'public' ? name.name : name
  // One role has nothing to differ from.
  if (permissions.size < 2) return
  for (const kind of changeKinds) {
    yield {
      ref: { kind: 'inherited permission', table: name, detail: kind },
      text: (source) => `${kind} permission, table: ${nameText(name)}, source: '${source}'`,
      listed: (source) => ({ permission_type: kind, source, table: listedTable }),
      isGranted: (role) => permissions.get(role)?.[kind] !== undefined,
      agree: (roles) => agreed(kind, roles, table) !== null,
    }
  }
}

/** A role that is composed of others, in a generation of the model. */
export interface ComposedRole {
  readonly role: string
  readonly parents: RoleParents
  readonly model: Model
}

/** The permissions of a composed role on a table. */
export function composedPermissions(table: TableModel, composed: ComposedRole): TablePermissions {
  const granting = (kind: keyof TablePermissions) =>
    grantors(composed.parents, composed.role, (role) => table.permissions.get(role)?.[kind] !== undefined)
  const inherited = <K extends (typeof changeKinds)[number]>(kind: K) => agreed(kind, granting(kind), table)
  const [insert, update, deleted] = [inherited('insert'), inherited('update'), inherited('delete')]
  const select = unitedSelect(table, composed)
  return {
    ...(select && { select }),
    ...(insert && { insert }),
    ...(update && { update }),
    ...(deleted && { delete: deleted }),
  }
}

/** A role whose select permission is a part of the composed one. */
interface Contributor extends SelectPermission {
  readonly role: string
}

/** The union of the select permissions, or the role's own one; null if it has none. */
function unitedSelect(table: TableModel, composed: ComposedRole): SelectPermission | null {
  const all = contributorsOf(composed.role, table.name, composed)
  if (all.length === 0) return null
  const seen = new Seen(all)
  const columns = split(namesIn(all, 'columns'), (name) => seen.by(all.filter((each) => each.columns.has(name))))
  const computed = split(namesIn(all, 'computedFields'), (name) =>
    seen.by(all.filter((each) => each.computedFields.has(name))),
  )
  const relationships = new Map<string, readonly RowPair[]>()
  for (const field of table.fields.values()) {
    if (field.kind !== 'relationship') continue
    const pairs = tiedPairs(field, { all, seen, table }, composed)
    if (pairs !== 'all') relationships.set(field.name, pairs)
  }
  const masks: SelectMasks = {
    columns: columns.masked,
    computedFields: computed.masked,
    relationships,
    reaches: (target) => all.every(({ role }) => maySelect(role, target, composed)),
    showing: (column) => all.filter((each) => each.columns.has(column)).map(({ role }) => role),
    seenBy(roles) {
      const rows = seen.by(all.filter(({ role }) => roles.includes(role)))
      return rows === 'all' ? null : rows
    },
  }
  const limits = all.map(({ limit }) => limit)
  const rootFields = unitedRootFields(all)
  return {
    columns: columns.plain,
    computedFields: computed.plain,
    filter: rowCondition(seen.all),
    limit: limits.includes(null) ? null : Math.max(...limits.map(Number)),
    allowAggregations: all.some(({ allowAggregations }) => allowAggregations),
    ...(rootFields && { rootFields }),
    masks,
  }
}

/** The rows that contributors see. */
class Seen {
  /** Rows that any of them sees. */
  readonly all: Condition
  readonly #filters: readonly Condition[]
  readonly #places: ReadonlyMap<Contributor, number>

  constructor(contributors: readonly Contributor[]) {
    const filters: Condition[] = []
    const placeOf = (filter: Condition) => {
      const place = filters.findIndex((other) => isDeepStrictEqual(other, filter))
      return place === -1 ? filters.push(filter) - 1 : place
    }
    this.#places = new Map(contributors.map((each) => [each, placeOf(conditionOf(each.filter))]))
    this.#filters = filters
    this.all = anyOf(filters)
  }

  /** The rows that some of the contributors see; `all`: those that any of them sees. */
  by(contributors: readonly Contributor[]): RowCondition | 'all' {
    const places = new Set(contributors.map((each) => this.#places.get(each)!))
    const condition = anyOf([...places].sort((a, b) => a - b).map((place) => this.#filters[place]!))
    return places.size === this.#filters.length || condition.kind === 'true' ? 'all' : rowCondition(condition)
  }
}

function anyOf(conditions: readonly Condition[]): Condition {
  const all = conditions.find(({ kind }) => kind === 'true')
  if (all) return all
  return conditions.length === 1 ? conditions[0]! : { kind: 'or', of: conditions }
}

const namesIn = (all: readonly Contributor[], key: 'columns' | 'computedFields'): ReadonlySet<string> =>
  new Set(all.flatMap((each) => [...each[key]]))

/** Divides names by whether each row shows them. */
function split(names: ReadonlySet<string>, rowsOf: (name: string) => RowCondition | 'all') {
  const plain = new Set<string>()
  const masked = new Map<string, RowCondition>()
  for (const name of names) {
    const rows = rowsOf(name)
    if (rows === 'all') plain.add(name)
    else masked.set(name, rows)
  }
  return { plain, masked }
}

/** The select permissions on a table that count for a role. */
function contributorsOf(role: string, name: QualifiedName, { parents, model }: ComposedRole): readonly Contributor[] {
  const table = model.tables.get(nameKey(name))
  if (!table) return []
  const roles = grantors(parents, role, (each) => table.permissions.get(each)?.select !== undefined)
  return roles.map((each) => ({ role: each, ...table.permissions.get(each)!.select! }))
}

const maySelect = (role: string, target: QualifiedName, composed: ComposedRole): boolean =>
  contributorsOf(role, target, composed).length > 0

/** The contributors of a table, and the rows that they see. */
interface Contributed {
  readonly all: readonly Contributor[]
  readonly seen: Seen
}

/**
 * The rows that the role may know to be tied by a relationship. One of its parents sees both rows, or the role sees the
 * columns in both, and could compare them itself. `all`: every two rows that it sees.
 */
function tiedPairs(
  { target, mapping }: RelationshipModel,
  { table, ...outer }: Contributed & { readonly table: TableModel },
  composed: ComposedRole,
): readonly RowPair[] | 'all' {
  const others = contributorsOf(composed.role, target, composed)
  if (others.length === 0) return []
  const inner: Contributed = { all: others, seen: new Seen(others) }
  const pairs: RowPair[] = []
  const add = (here: readonly Contributor[], there: readonly Contributor[]): boolean => {
    if (here.length === 0 || there.length === 0) return false
    const [left, right] = [outer.seen.by(here), inner.seen.by(there)]
    if (left === 'all' && right === 'all') return true
    pairs.push({ outer: left === 'all' ? everyRow : left, inner: right === 'all' ? everyRow : right })
    return false
  }
  const related = composed.model.tables.get(nameKey(target))!
  const here = outer.all.filter((each) => mapping.every(([own]) => compares(each, own, table, composed)))
  const there = others.filter((each) => mapping.every(([, theirs]) => compares(each, theirs, related, composed)))
  if (add(here, there)) return 'all'
  for (const each of outer.all) {
    if (
      add(
        [each],
        others.filter(({ role }) => role === each.role),
      )
    )
      return 'all'
  }
  return pairs
}

/** Whether the role of a contributor may compare a column. */
function compares({ role, columns }: Contributor, name: string, table: TableModel, { model }: ComposedRole): boolean {
  const column = columns.has(name) ? table.columns.get(name) : undefined
  if (!column) return false
  return mayCompare(column.transform ? readColumns(new Set([name]), table, { role, model }) : null, column)
}

const everyRow = rowCondition({ kind: 'true' })

/** The root fields that any contributor sees; null: all. */
function unitedRootFields(all: readonly Contributor[]): RootFieldVisibility | null {
  const united = <Root extends keyof RootFieldVisibility>(root: Root): RootFieldVisibility[Root] => {
    const lists = all.map(({ rootFields }) => rootFields?.[root])
    if (lists.includes(undefined)) return undefined
    return new Set(lists.flatMap((list) => [...list!])) as RootFieldVisibility[Root]
  }
  const [query, subscription] = [united('query'), united('subscription')]
  return query || subscription ? { ...(query && { query }), ...(subscription && { subscription }) } : null
}
