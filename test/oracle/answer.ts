// The expected answer of a request.

import { appliesTo, countValues, expectedAggregate } from './aggregates.ts'
import { relatedRows, type Scope } from './conditions.ts'
import { type Expected, exactly } from './expected.ts'
import { dataText, Num } from './json.ts'
import { atPath } from './jsonb.ts'
import type { AggregateItem, Call, Directives, Item, Representation, Request, Root, Run } from './request.ts'
import { datumOf } from './request.ts'
import { certainRows, countRows, limited, type RowSet, scopeOf, selectRows } from './rows.ts'
import { columnTypes, compareData } from './types.ts'
import type { View } from './view.ts'
import {
  type Column,
  displayName,
  fieldName,
  functionOf,
  Invalid,
  type Row,
  type Stored,
  tableOf,
  type World,
} from './world.ts'

/** The `data` of the answer. */
export function expectedAnswer(request: Request, view: View, run: Run): Expected {
  const scope = scopeOf(view, run)
  if (request.root === 'mutation' && request.roots.some(({ kind }) => kind === 'typename')) throw new Invalid('a type')
  const fields = merged(request.roots, scope, (root) => rootName(root, view.world))
  return objectOf(fields, ([root]) => rootValue(root!, scope))
}

/** The view, which requests always have. */
const viewOf = (scope: Scope): View => scope.view!

type Entries = readonly (readonly [string, Expected])[]

/** An object with a value for each field. */
export function objectOf<T>(
  fields: ReadonlyMap<string, readonly T[]>,
  value: (selections: readonly T[]) => Expected,
): Expected {
  const entries: Entries = [...fields].map(([key, selections]) => [key, value(selections)])
  return { kind: 'object', entries }
}

interface Selection {
  readonly alias: string | null
  readonly directives: Directives
}

export const isIncluded = ({ include, skip }: Directives, run: Run): boolean =>
  (!include || datumOf(include, run)) && !(skip && datumOf(skip, run))

/** Selections by response name; two with the same name must be equal except for their subselections. */
export function merged<T extends Selection>(
  items: readonly T[],
  { run }: Scope,
  nameOf: (item: T) => string,
): Map<string, readonly T[]> {
  const fields = new Map<string, readonly T[]>()
  for (const item of items) {
    if (!isIncluded(item.directives, run)) continue
    const key = item.alias ?? nameOf(item)
    const same = fields.get(key) ?? []
    if (same.some((other) => identity(other) !== identity(item))) throw new Invalid(`two fields for ${key}`)
    fields.set(key, [...same, item])
  }
  return fields
}

type Tree = { readonly [key: string]: unknown }

/** The properties that two selections must share in order to merge. */
function identity(selection: Selection): string {
  const { alias, directives, items, wrapped, ...rest } = selection as Selection & Tree
  return dataText(rest)
}

/** The names of root fields. */
export function rootName(root: Root, world: World): string {
  if (root.kind === 'typename') return '__typename'
  if (root.kind === 'entities') return '_entities'
  if (root.kind !== 'byKey' && root.of !== undefined) {
    const { name } = functionOf(world, root.of)
    return root.kind === 'aggregate' ? `${name}_aggregate` : name
  }
  const table = tableOf(world, root.table)
  const { customRoots } = table
  const name = displayName(table)
  switch (root.kind) {
    case 'select':
      return customRoots.select ?? name
    case 'byKey':
      return customRoots.select_by_pk ?? `${name}_by_pk`
    case 'one':
      throw new Error('only functions return one row')
    case 'aggregate':
      return customRoots.select_aggregate ?? `${name}_aggregate`
  }
}

function rootValue(root: Root, scope: Scope): Expected {
  if (root.kind === 'typename') return exactly('query_root')
  const view = viewOf(scope)
  if (root.kind === 'entities') {
    return { kind: 'list', items: root.representations.map((each) => entityValue(each, root.items, scope)) }
  }
  const of = root.kind === 'byKey' ? undefined : root.of
  const rows = of === undefined ? view.rows(root.table) : view.functionRows(of)
  switch (root.kind) {
    case 'select':
      return rowsValue(root.table, selectRows(root.table, rows, root.args, scope), root.items, scope)
    case 'aggregate':
      if (!view.require(root.table).aggregations) throw new Invalid('no aggregations')
      return aggregateValue(root.table, selectRows(root.table, rows, root.args, scope), root.items, scope)
    case 'one': {
      // The limit of a permission holds for functions of one row, too.
      const [row] = view.require(root.table).limit === 0 ? [] : rows
      return row ? rowValue(root.table, row, root.items, scope) : exactly(null)
    }
    case 'byKey': {
      const found = rowOf(root, scope)
      return found ? rowValue(root.table, found, root.items, scope) : exactly(null)
    }
  }
}

/** The row with a key that the role sees. */
function rowOf({ table, key }: Representation, scope: Scope): Row | undefined {
  const view = viewOf(scope)
  const { primaryKey } = tableOf(view.world, table)
  if (!view.hasKey(tableOf(view.world, table)) || key.length !== primaryKey.length) throw new Invalid('no key')
  return view.rows(table).find((row) =>
    key.every(({ column, leaf }) => {
      const { type } = view.requireColumn(column)
      return compareData(type, row[column]!.datum, datumOf(leaf, scope.run)) === 0
    }),
  )
}

function entityValue(representation: Representation, items: readonly Item[], scope: Scope): Expected {
  const row = rowOf(representation, scope)
  return row ? rowValue(representation.table, row, items, scope) : exactly(null)
}

/** An array of rows, under the role's limit. */
function rowsValue(table: string, set: RowSet, items: readonly Item[], scope: Scope): Expected {
  const { groups, offset, limit } = limited(set, viewOf(scope).require(table).limit)
  const values = groups.map((group) =>
    group.map((slot): Expected => {
      const options = slot.map((row) => rowValue(table, row, items, scope))
      return options.length === 1 ? options[0]! : { kind: 'oneOf', options }
    }),
  )
  return { kind: 'rows', groups: values, offset, limit }
}

/** A row as its selection returns it. */
export function rowValue(table: string, row: Row, items: readonly Item[], scope: Scope): Expected {
  const fields = merged(flattened(table, items, scope), scope, (item) => itemName(item, scope.view!))
  return objectOf(fields, (selections) => itemValue(table, row, selections, scope))
}

/** The fields of a selection, with fragments expanded. */
function flattened(table: string, items: readonly Item[], scope: Scope): readonly Item[] {
  if (items.length === 0) throw new Invalid('an empty selection')
  return items.flatMap((item) => {
    if (item.kind !== 'fragment') return [item]
    const inner = flattened(item.on ?? table, item.items, scope)
    const applies = (item.on ?? table) === table && isIncluded(item.directives, scope.run)
    return applies ? inner : []
  })
}

export function itemName(item: Item, view: View): string {
  switch (item.kind) {
    case 'typename':
      return '__typename'
    case 'column':
      return fieldName(view.requireColumn(item.column))!
    case 'object':
    case 'array':
    case 'aggregate': {
      const relationship = view.world.relationships.find(({ id }) => id === item.relationship)
      if (!relationship) throw new Invalid(`there is no relationship ${item.relationship}`)
      return item.kind === 'aggregate' ? `${relationship.name}_aggregate` : relationship.name
    }
    case 'fragment':
      throw new Error('a fragment has no response name')
  }
}

function itemValue(table: string, row: Row, selections: readonly Item[], scope: Scope): Expected {
  const view = viewOf(scope)
  const item = selections[0]!
  const below = <T>(): readonly T[] =>
    selections.flatMap((selection) => (selection as unknown as { items: readonly T[] }).items)
  switch (item.kind) {
    case 'typename':
      return exactly(displayName(tableOf(view.world, table)))
    case 'column': {
      const column = view.requireColumn(item.column)
      return columnValue(column, view.value(row, column), item.path && datumOf(item.path, scope.run))
    }
    case 'object': {
      const relationship = view.requireRelationship(item.relationship, table, 'object')
      const related = relatedRows(relationship, row, scope)
      const options = related.map((other) => rowValue(relationship.target, other, below<Item>(), scope))
      return options.length === 0 ? exactly(null) : { kind: 'oneOf', options }
    }
    case 'array':
    case 'aggregate': {
      const { id, target } = view.requireRelationship(item.relationship, table, 'array')
      const related = relatedRows(view.requireRelationship(id, table), row, scope)
      const set = selectRows(target, related, item.args, scope)
      if (item.kind === 'array') return rowsValue(target, set, below<Item>(), scope)
      if (!view.require(target).aggregations) throw new Invalid('no aggregations')
      return aggregateValue(target, set, below<AggregateItem>(), scope)
    }
    case 'fragment':
      throw new Error('fragments are flattened before')
  }
}

function columnValue({ type }: Column, stored: Stored, path: readonly string[] | null): Expected {
  if (stored === null) return exactly(null)
  if (path === null) return columnTypes[type].expected(stored.datum)
  return columnTypes.jsonb.expected(atPath(stored.datum as never, path) ?? null)
}

function aggregateValue(table: string, set: RowSet, items: readonly AggregateItem[], scope: Scope): Expected {
  const name = displayName(tableOf(viewOf(scope).world, table))
  const names = { typename: '__typename', nodes: 'nodes', calls: 'aggregate' } as const
  const fields = merged(items, scope, ({ kind }) => names[kind])
  return objectOf(fields, ([first]) => {
    const item = first!
    if (item.kind === 'typename') return exactly(`${name}_aggregate`)
    return item.kind === 'nodes' ? rowsValue(table, set, item.items, scope) : callsValue(name, set, item.calls, scope)
  })
}

function callsValue(table: string, set: RowSet, calls: readonly Call[], scope: Scope): Expected {
  const names = (call: Call) =>
    call.kind === 'operator' ? call.operator : call.kind === 'count' ? 'count' : '__typename'
  const fields = merged(calls, scope, names)
  return objectOf(fields, ([call]) => {
    if (call!.kind === 'typename') return exactly(`${table}_aggregate_fields`)
    return call!.kind === 'count' ? countValue(set, call!, scope) : operatorValue(table, set, call!, scope)
  })
}

function countValue(set: RowSet, call: Extract<Call, { kind: 'count' }>, scope: Scope): Expected {
  const columns = (call.columns ?? []).map((leaf) => viewOf(scope).requirePlain(datumOf(leaf, scope.run)))
  const distinct = call.distinct !== null && datumOf(call.distinct, scope.run)
  const isOfValues = columns.length === 1 || (columns.length > 0 && distinct)
  const count = isOfValues ? countValues(certainRows(set), columns, distinct) : countRows(set)
  return exactly(new Num(String(count)))
}

function operatorValue(table: string, set: RowSet, call: Extract<Call, { kind: 'operator' }>, scope: Scope): Expected {
  const { operator } = call
  const view = viewOf(scope)
  if (call.columns.length === 0) throw new Invalid('an empty selection')
  const entries: Entries = call.columns.map(({ column: id, alias }) => {
    if (id === null) return [alias ?? '__typename', exactly(`${table}_${operator}_fields`)]
    const column = view.requirePlain(id)
    if (!appliesTo(operator, column)) throw new Invalid(`${operator} of ${id}`)
    return [alias ?? fieldName(column)!, expectedAggregate(operator, column, certainRows(set))]
  })
  if (new Set(entries.map(([key]) => key)).size < entries.length) throw new Invalid('two fields of one name')
  return { kind: 'object', entries }
}
