// Requests that must be refused. Some use names that a role may not see, in every place of a name; they must be refused
// like unknown names. Others compare with null, because a null variable must not widen a condition.

import { appliesTo } from './aggregates.ts'
import { valueOperatorsOf } from './coverage.ts'
import type { Draw } from './draw.ts'
import { isOrdered } from './generate-arguments.ts'
import { isList } from './generate-expressions.ts'
import { columnTypes, type TypeName } from './types.ts'
import { View } from './view.ts'
import {
  type Column,
  displayName,
  fieldName,
  fieldsOf,
  isGraphQLName,
  type Relationship,
  type Table,
  type TableFunction,
  tableOf,
  type World,
} from './world.ts'

export interface Probe {
  readonly role: string
  readonly query: string
  readonly message: string
  readonly path: string
  /** Whether a REST endpoint has its text, too. */
  readonly stored?: boolean
}

/** The error about a name that a type does not have. */
export const unknownField = (name: string, type: string): string => `field "${name}" not found in type: '${type}'`

/** Probes for everything hidden from a role: a few for each object. */
export function drawProbes(draw: Draw, world: World, role: string): readonly Probe[] {
  const view = new View(world, role)
  const hiddenTables = world.tables.filter(({ id }) => view.permission(id) === null)
  const probes = [
    ...world.functions
      .filter((each) => each.root === 'query' && !view.mayCall(each))
      .map((each) => callProbe(each, role)),
    ...hiddenTables.flatMap((table) => rootProbes(table, role)),
    ...(world.entities ? entityProbes(view, role) : []),
    ...view.tables.flatMap((table) => [
      ...missingRoots(table, view, role),
      ...hiddenNames(table, view.fields(table.id)).flatMap((name) =>
        draw.few(columnProbes(name, table, view, role), 4),
      ),
      ...world.relationships
        .filter((relationship) => relationship.table === table.id)
        .flatMap((relationship) => relationshipProbes(relationship, view, role)),
      ...draw.few(nullProbes(table, view, role), 3),
    ]),
  ]
  return probes.map((probe) => (draw.chance(0.2) ? { ...probe, stored: true } : probe))
}

/** The call of a function that the role may not call. */
export const callProbe = ({ name, root }: TableFunction, role: string): Probe => ({
  role,
  query: `${root} { ${name} { __typename } }`,
  message: unknownField(name, `${root}_root`),
  path: `$.selectionSet.${name}`,
})

/** Representations of tables that the role has no entity of. */
function entityProbes(view: View, role: string): readonly Probe[] {
  // An inherited role may have a key that all of its parents show in the same rows.
  if (view.role?.parents) return []
  const hasEntities = view.tables.some((table) => view.hasKey(table))
  const path = '$.selectionSet._entities'
  return view.world.tables
    .filter((table) => view.permission(table.id) === null || !view.hasKey(table))
    .map((table) => {
      const type = displayName(table)
      const query = `{ _entities(representations: [{__typename: "${type}", id: 1}]) { __typename } }`
      return hasEntities
        ? {
            ...{ role, query, message: `no entity has the type "${type}"` },
            path: `${path}.args.representations[0].__typename`,
          }
        : { role, query, message: unknownField('_entities', 'query_root'), path }
    })
}

/** Root fields of a table that the role may not select from. */
function rootProbes(table: Table, role: string): readonly Probe[] {
  const name = displayName(table)
  const { select = name, select_by_pk = `${name}_by_pk`, select_aggregate = `${name}_aggregate` } = table.customRoots
  return [select, select_by_pk, select_aggregate].map((field) => ({
    role,
    query: `{ ${field} { __typename } }`,
    message: unknownField(field, 'query_root'),
    path: `$.selectionSet.${field}`,
  }))
}

/** Root fields that the permission of a visible table excludes. */
function missingRoots(table: Table, view: View, role: string): readonly Probe[] {
  const [, byKey, aggregate] = rootProbes(table, role)
  // An inherited role may have a key that all of its parents show in the same rows.
  const mayHaveKey = view.role?.parents !== undefined && table.primaryKey.length > 0
  return [
    ...(view.hasKey(table) || mayHaveKey ? [] : [byKey!]),
    ...(view.require(table.id).aggregations ? [] : [aggregate!]),
  ]
}

/** Plausible names that are not columns of the type: hidden columns, and names that custom names replace. */
export function hiddenNames(table: Table, visible: readonly Column[]): readonly string[] {
  const taken = visible.map(fieldName)
  const names = fieldsOf(table).flatMap((column) => [fieldName(column), column.name])
  const hidden = names.filter((name) => name !== null && isGraphQLName(name) && !taken.includes(name))
  return [...new Set(hidden as string[])]
}

/** Paths from the root to a table's fields: direct, or through one relationship. */
function paths(table: Table, view: View): readonly { readonly field: Table; readonly through: Relationship | null }[] {
  const incoming = view.world.relationships.filter(
    ({ id, target, table: from }) =>
      target === table.id && view.permission(from) !== null && view.relationships(from).some((each) => each.id === id),
  )
  return [
    { field: table, through: null },
    ...incoming.map((through) => ({ field: tableOf(view.world, through.table), through })),
  ]
}

function columnProbes(hidden: string, table: Table, view: View, role: string): readonly Probe[] {
  const type = displayName(table)
  return paths(table, view).flatMap(({ field, through }) => {
    const root = field.customRoots.select ?? displayName(field)
    const probe = (query: string, message: string, path: string): Probe => {
      return { role, query: `{ ${root}${query} }`, message, path: `$.selectionSet.${root}${path}` }
    }
    const args = (text: string) => `(${text}) { __typename }`
    if (through === null) return [...rowProbes(probe, hidden, type), ...nameProbes(probe, hidden, table, view)]
    const { name } = through
    const inside = (text: string) => args(text.replace('#', `{${name}: #}`))
    const isObject = through.type === 'object'
    return [
      probe(` { ${name} { ${hidden} } }`, unknownField(hidden, type), `.selectionSet.${name}.selectionSet.${hidden}`),
      probe(
        inside('where: #').replace('#', `{${hidden}: {_is_null: true}}`),
        unknownField(hidden, `${type}_bool_exp`),
        `.args.where.${name}.${hidden}`,
      ),
      ...(isObject && isOrderable(table, view)
        ? [
            probe(
              inside('order_by: #').replace('#', `{${hidden}: asc}`),
              unknownField(hidden, `${type}_order_by`),
              `.args.order_by[0].${name}.${hidden}`,
            ),
          ]
        : []),
    ]
  })
}

/** Whether the table has something to order by, and so has an order type; to-one relationships may form a cycle. */
function isOrderable({ id }: Table, view: View, seen = new Set<string>()): boolean {
  if (seen.has(id)) return false
  seen.add(id)
  if (view.fields(id).some(isOrdered)) return true
  return view.relationships(id).some(({ type, target }) => {
    return type === 'array' || isOrderable(tableOf(view.world, target), view, seen)
  })
}

type MakeProbe = (query: string, message: string, path: string) => Probe

function rowProbes(probe: MakeProbe, hidden: string, type: string): readonly Probe[] {
  const where = (text: string) => `(where: ${text}) { __typename }`
  const inWhere = unknownField(hidden, `${type}_bool_exp`)
  return [
    probe(` { ${hidden} }`, unknownField(hidden, type), `.selectionSet.${hidden}`),
    probe(` { x: ${hidden} }`, unknownField(hidden, type), `.selectionSet.${hidden}`),
    probe(` { ... on ${type} { ${hidden} } }`, unknownField(hidden, type), `.selectionSet.${hidden}`),
    probe(where(`{${hidden}: {_is_null: true}}`), inWhere, `.args.where.${hidden}`),
    probe(where(`{_not: {${hidden}: {_is_null: true}}}`), inWhere, `.args.where._not.${hidden}`),
    probe(where(`{_or: [{}, {_and: [{${hidden}: {}}]}]}`), inWhere, `.args.where._or[1]._and[0].${hidden}`),
  ]
}

/** Places where names of columns are enum values or fields of an aggregate. */
function nameProbes(probe: MakeProbe, hidden: string, table: Table, view: View): readonly Probe[] {
  const type = displayName(table)
  const visible = view.columns(table.id)
  if (visible.length === 0) return []
  // For inherited roles it depends on the rows of their parents which columns stand in enums and aggregates.
  const isInherited = view.role?.parents !== undefined
  const notAMember = `expected one of the values * for type "${type}_select_column", but found "${hidden}"`
  const byOrder = probe(
    `(order_by: {${hidden}: asc}) { __typename }`,
    unknownField(hidden, `${type}_order_by`),
    `.args.order_by[0].${hidden}`,
  )
  return [
    ...(isInherited ? [] : [probe(`(distinct_on: ${hidden}) { __typename }`, notAMember, '.args.distinct_on[0]')]),
    ...(isOrderable(table, view) ? [byOrder] : []),
    ...(view.require(table.id).aggregations && !isInherited ? aggregateProbes(hidden, table, view) : []),
  ]
}

function aggregateProbes(hidden: string, table: Table, view: View): readonly Probe[] {
  const type = displayName(table)
  const root = table.customRoots.select_aggregate ?? `${type}_aggregate`
  const path = `$.selectionSet.${root}.selectionSet.aggregate.selectionSet`
  const probe = (call: string, message: string, at: string): Probe => {
    return { role: view.role!.name, query: `{ ${root} { aggregate { ${call} } } }`, message, path: `${path}.${at}` }
  }
  const hasExtremes = view.fields(table.id).some((column) => appliesTo('max', column))
  const max = hasExtremes
    ? probe(`max { ${hidden} }`, unknownField(hidden, `${type}_max_fields`), `max.selectionSet.${hidden}`)
    : probe(`max { ${hidden} }`, unknownField('max', `${type}_aggregate_fields`), 'max')
  const notAMember = `expected one of the values * for type "${type}_select_column", but found "${hidden}"`
  return [max, probe(`count(columns: [${hidden}])`, notAMember, 'count.args.columns[0]')]
}

/** Relationships to tables that the role may not select from, and aggregates that it may not use. */
function relationshipProbes({ name, type, table, target }: Relationship, view: View, role: string): readonly Probe[] {
  const from = tableOf(view.world, table)
  const root = from.customRoots.select ?? displayName(from)
  const owner = displayName(from)
  const probe: MakeProbe = (query, message, path) => {
    return { role, query: `{ ${root}${query} }`, message, path: `$.selectionSet.${root}${path}` }
  }
  const selected = (field: string) =>
    probe(` { ${field} { __typename } }`, unknownField(field, owner), `.selectionSet.${field}`)
  const aggregate = type === 'array' ? [selected(`${name}_aggregate`)] : []
  const permission = view.permission(target)
  const counted = probe(
    `(where: {${name}_aggregate: {}}) { __typename }`,
    unknownField(`${name}_aggregate`, `${owner}_bool_exp`),
    `.args.where.${name}_aggregate`,
  )
  if (permission) return permission.aggregations ? [] : [...aggregate, ...(type === 'array' ? [counted] : [])]
  const ordered = type === 'array' ? `${name}_aggregate` : name
  const byOrder = probe(
    `(order_by: {${ordered}: ${type === 'array' ? '{count: asc}' : '{}'}}) { __typename }`,
    unknownField(ordered, `${owner}_order_by`),
    `.args.order_by[0].${ordered}`,
  )
  return [
    selected(name),
    ...aggregate,
    ...(type === 'array' ? [counted] : []),
    probe(`(where: {${name}: {}}) { __typename }`, unknownField(name, `${owner}_bool_exp`), `.args.where.${name}`),
    ...(isOrderable(from, view) ? [byOrder] : []),
  ]
}

/** Nulls in conditions, of every kind. */
function nullProbes(table: Table, view: View, role: string): readonly Probe[] {
  const root = table.customRoots.select ?? displayName(table)
  const type = `${displayName(table)}_bool_exp`
  const probe = (where: string, message: string, path: string): Probe => {
    const query = `{ ${root}(where: {${where}}) { __typename } }`
    return { role, query, message, path: `$.selectionSet.${root}.args.where.${path}` }
  }
  const noList = 'expected a list, but found null'
  const noObject = (of: string) => `expected an object for type "${of}", but found null`
  return [
    probe('_and: null', noList, '_and'),
    probe('_or: null', noList, '_or'),
    probe('_not: null', noObject(type), '_not'),
    probe('_or: [null]', noObject(type), '_or[0]'),
    ...view.relationships(table.id).map(({ name, target }) => {
      return probe(`${name}: null`, noObject(`${displayName(tableOf(view.world, target))}_bool_exp`), name)
    }),
    ...view.columns(table.id).flatMap((column) => {
      const name = fieldName(column)!
      const { scalar } = columnTypes[column.type]
      const operators = valueOperatorsOf(column.type).filter((operator) => operator !== '_has_key')
      return [
        probe(`${name}: null`, noObject(`${scalar}_comparison_exp`), name),
        ...operators.map((operator) => {
          return probe(`${name}: {${operator}: null}`, nullRefusal(operator, column.type), `${name}.${operator}`)
        }),
      ]
    }),
  ]
}

/** How an operator refuses null. */
function nullRefusal(operator: string, type: TypeName): string {
  if (isList(operator)) return 'expected a list, but found null'
  const { scalar, kind } = columnTypes[type]
  const wanted = operator === '_is_null' ? 'Boolean' : scalar
  const what = kind === 'enum' && wanted === scalar ? 'an enum value' : nativeScalars[wanted]
  return what ? `expected ${what} for type "${wanted}", but found null` : `unexpected null value for type "${scalar}"`
}

/** The names of GraphQL's own scalar values in messages. */
export const nativeScalars: Readonly<Record<string, string>> = {
  Int: 'a 32-bit integer',
  Float: 'a float',
  Boolean: 'a boolean',
  String: 'a string',
}
