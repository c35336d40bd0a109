// Simpler cases than a given one. The parts that the case mentions stay; everything else may be removed.

import type { Case } from './case.ts'
import { isLiteral } from './inputs.ts'
import type { Json } from './json.ts'
import type { Mutation } from './mutations/mutation.ts'
import type { Request } from './request.ts'
import {
  type DeletePermission,
  type InsertPermission,
  isGraphQLName,
  type Role,
  type Row,
  type SelectPermission,
  type Table,
  type UpdatePermission,
  type World,
  withViews,
} from './world.ts'

/** Simpler cases to try after a failure, largest reductions first. */
export function* simplerCases({ world, requests, probes }: Case): Generator<Case> {
  if (requests.length + probes.length > 1) {
    for (const request of requests) yield { world, requests: [request], probes: [] }
    for (const probe of probes) yield { world, requests: [], probes: [probe] }
    return
  }
  const [request] = requests
  if (!request) return
  for (const simpler of reductions(request)) yield { world, requests: [simpler as Request], probes: [] }
  for (const simpler of simplerWorlds(world, requests)) yield { world: simpler, requests, probes: [] }
}

type Tree = { readonly [key: string]: unknown }

const optional = new Set(['orderBy', 'distinctOn', 'limit', 'offset', 'include', 'skip'])
const nullable = new Set(['alias', 'path', 'distinct', 'conflict'])
const flags = new Set(['stored', 'wrapped', 'named', 'bare', 'strict', 'byDefault'])
const neverEmpty = new Set(['roots', 'items', 'calls', 'columns', 'of related', 'response'])
const opaque = new Set(['input', 'datum', 'key', 'mapping', 'second'])

/** The values that result from dropping one part of a tree. */
export function* reductions(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) yield* listReductions(value, true)
  else if (typeof value === 'object' && value !== null) yield* objectReductions(value as Tree)
}

function* listReductions(list: readonly unknown[], mayBeEmpty: boolean): Generator<readonly unknown[]> {
  if (list.length > (mayBeEmpty ? 0 : 1)) for (const i of list.keys()) yield list.toSpliced(i, 1)
  for (const [i, item] of list.entries()) for (const simpler of reductions(item)) yield list.with(i, simpler)
}

function* objectReductions(tree: Tree): Generator<Tree> {
  for (const [key, value] of Object.entries(tree)) {
    if (opaque.has(key)) continue
    if (optional.has(key) || (key === 'where' && isArguments(tree))) yield without(tree, key)
    if (nullable.has(key) && value !== null) yield { ...tree, [key]: null }
    if (flags.has(key) && value === true) yield { ...tree, [key]: false }
    if (key === 'lift' && value && canBeWritten(tree)) {
      yield typeof value === 'object' ? without(tree, key) : { ...tree, lift: false }
    }
    const kind = tree['kind'] === 'related' ? `${key} related` : key
    const simpler = Array.isArray(value)
      ? listReductions(value, !neverEmpty.has(key) && !neverEmpty.has(kind))
      : reductions(value)
    for (const part of simpler) yield { ...tree, [key]: part }
  }
}

/** Whether the value of a variable has a literal. */
const canBeWritten = ({ input, isEnum }: Tree): boolean =>
  input === undefined || isEnum === true || isLiteral(input as Json)

/** Whether a `where` may be omitted: not for changes, and not for relationships. */
const isArguments = (tree: Tree): boolean => tree['kind'] === undefined && tree['constraint'] === undefined

function without(tree: Tree, key: string): Tree {
  const { [key]: _, ...rest } = tree
  return rest
}

/** Simpler worlds that keep everything that requests mention. */
export function* simplerWorlds(world: World, requests: readonly (Request | Mutation)[]): Generator<World> {
  const isAsking = ({ name }: Role) => requests.some(({ role }) => name === role)
  const asking = world.roles.filter(
    (role) => isAsking(role) || world.roles.some((other) => isAsking(other) && other.parents?.includes(role.name)),
  )
  if (asking.length < world.roles.length) yield { ...world, roles: asking }
  for (const { id } of world.tables) {
    const smaller = withoutTable(world, id)
    if (!mentions(smaller, requests, id)) yield smaller
  }
  for (const { id } of world.relationships) {
    const relationships = world.relationships.filter((relationship) => relationship.id !== id)
    const smaller = { ...world, relationships }
    if (!mentions(smaller, requests, id)) yield smaller
  }
  for (const { id } of world.functions) {
    const smaller = { ...world, functions: world.functions.filter((other) => other.id !== id) }
    if (!mentions(smaller, requests, id)) yield smaller
  }
  for (const table of world.tables.filter(({ isEnum }) => !isEnum)) {
    for (const simpler of simplerTables(table, world)) yield replaced(world, simpler)
    for (const { name } of table.uniques) {
      const smaller = replaced(world, { ...table, uniques: table.uniques.filter((other) => other.name !== name) })
      if (!mentions(smaller, requests, name)) yield smaller
    }
    for (const { id } of table.columns) {
      const smaller = withoutColumn(world, table, id)
      if (table.columns.length > 1 && !mentions(smaller, requests, id)) yield smaller
    }
  }
  for (const role of world.roles) {
    for (const simpler of simplerRoles(role)) {
      yield { ...world, roles: world.roles.map((other) => (other === role ? simpler : other)) }
    }
  }
}

const replaced = (world: World, table: Table): World =>
  withViews({ ...world, tables: world.tables.map((other) => (other.id === table.id ? table : other)) })

function withoutTable(world: World, id: string): World {
  const isOther = ({ table }: { readonly table: string }) => table !== id
  const roles = world.roles.map((role) => ({
    ...role,
    selects: role.selects.filter(isOther),
    inserts: role.inserts.filter(isOther),
    updates: role.updates.filter(isOther),
    deletes: role.deletes.filter(isOther),
  }))
  const functions = world.functions.filter(isOther)
  return { ...world, tables: world.tables.filter((table) => table.id !== id), functions, roles }
}

function withoutColumn(world: World, table: Table, id: string): World {
  const columns = table.columns.filter((column) => column.id !== id)
  const without = <P extends { readonly columns: readonly string[] }>(permissions: readonly P[]): P[] =>
    permissions.map((permission) => ({ ...permission, columns: permission.columns.filter((column) => column !== id) }))
  const roles = world.roles.map((role) => ({
    ...role,
    selects: without(role.selects),
    inserts: without(role.inserts),
    updates: without(role.updates),
  }))
  return { ...replaced(world, { ...table, columns }), roles }
}

/** Whether anything except lists of permitted columns refers to a part. */
function mentions(world: World, requests: readonly unknown[], id: string): boolean {
  const tables = world.tables.map(({ rows, columns, ...rest }) => [rest, columns.map((column) => column.default)])
  const rules = world.roles.map(({ selects, inserts, updates, deletes }) =>
    [...selects, ...inserts, ...updates, ...deletes].map((permission) => ({ ...permission, columns: [] })),
  )
  const text = JSON.stringify([tables, world.relationships, rules, requests], (key, value) =>
    typeof value === 'bigint' || key === 'input' ? null : value,
  )
  return text.includes(JSON.stringify(id))
}

function* simplerTables(table: Table, world: World): Generator<Table> {
  const removable = table.view ? [] : table.rows.filter((row) => !isReferred(row, table, world))
  if (removable.length > 2) {
    const half = new Set(removable.slice(0, removable.length / 2))
    yield { ...table, rows: table.rows.filter((row) => !half.has(row)) }
  }
  for (const row of removable) yield { ...table, rows: table.rows.filter((other) => other !== row) }
  if (Object.keys(table.customRoots).length > 0) yield { ...table, customRoots: {} }
  for (const part of table.checks) yield { ...table, checks: table.checks.filter((other) => other !== part) }
  for (const key of table.foreignKeys) {
    const foreignKeys = table.foreignKeys.filter((other) => other !== key)
    const isUsed = world.relationships.some(
      ({ byForeignKey, mapping }) => byForeignKey && mapping.flat().includes(key.column),
    )
    const isOfEnum = world.tables.some(({ id, isEnum }) => isEnum && id === key.table)
    if (!isUsed && !isOfEnum) yield { ...table, foreignKeys }
    const plain = { ...key, onDelete: 'no action', onUpdate: 'no action', isDeferred: false } as const
    const isPlain = key.onDelete === 'no action' && key.onUpdate === 'no action' && !key.isDeferred
    if (!isPlain) yield { ...table, foreignKeys: table.foreignKeys.map((other) => (other === key ? plain : other)) }
  }
  for (const column of table.columns) {
    if (column.default !== null) {
      const bare = { ...column, default: null }
      yield { ...table, columns: table.columns.map((other) => (other === column ? bare : other)) }
    }
    if (column.customName !== null && isGraphQLName(column.name)) {
      const plain = { ...column, customName: null }
      yield { ...table, columns: table.columns.map((other) => (other === column ? plain : other)) }
    }
  }
}

/** Whether a foreign key of some row refers to this row; rows refer to keys by the identical value. */
const isReferred = (row: Row, { id }: Table, { tables }: World): boolean =>
  tables.some(({ foreignKeys, rows }) =>
    foreignKeys.some(
      ({ column, table, target }) =>
        table === id && rows.some((other) => other !== row && other[column] === row[target]),
    ),
  )

function* simplerRoles(role: Role): Generator<Role> {
  for (const key of ['selects', 'inserts', 'updates', 'deletes'] as const) {
    const permissions = role[key] as readonly Permission[]
    for (const permission of permissions) {
      for (const simpler of simplerPermissions(permission)) {
        yield { ...role, [key]: permissions.map((other) => (other === permission ? simpler : other)) }
      }
    }
  }
}

type Permission = SelectPermission | InsertPermission | UpdatePermission | DeletePermission

/** The parts of permissions that may be removed, with their empty values. */
const emptied = { filter: [], check: [], presets: [], limit: null } as const

function* simplerPermissions(permission: Permission): Generator<Permission> {
  for (const [key, empty] of Object.entries(emptied)) {
    const value = (permission as unknown as Tree)[key]
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue
    yield { ...permission, [key]: empty }
    for (const part of reductions(value)) yield { ...permission, [key]: part }
  }
}
