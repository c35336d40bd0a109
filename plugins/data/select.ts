// The plan of the data operation `select`: its columns, wildcards and relationships, and the rows they are of.

import { isReadByFunction, relatedCost, selectionCost, transformedOutput } from '../../sdk/access.ts'
import { badRequest, within } from '../../sdk/index.ts'
import type { ColumnModel, RelationshipModel } from '../../sdk/metadata.ts'
import type { Mapping, Output, OutputEntry, Rows, Select } from '../../sdk/sql.ts'
import { type Caller, isReadable, type ReadableTable, requireRelationship } from './caller.ts'
import { planOrder } from './order-by.ts'
import type { ColumnSelection, RelationshipSelection, RowsArguments } from './schema.ts'
import { maxExpanded } from './tuning.ts'

/** The rows that a request reads of a table, related to an outer row by `mapping`. */
export function planSelect(args: RowsArguments, access: ReadableTable, caller: Caller, mapping: Mapping = []): Select {
  const output = within('columns', () => planColumns(args.columns, access, caller))
  return { rows: planRows(args, access, caller, mapping), output }
}

function planRows(args: RowsArguments, access: ReadableTable, caller: Caller, mapping: Mapping): Rows {
  const { where, order_by = [], limit = null, offset = null } = args
  return access.select.rows({
    mapping,
    where: within('where', () => caller.condition(where, access)),
    orderBy: within('order_by', () => planOrder(order_by, access, caller)),
    limit: within('limit', () => positive(limit)),
    offset: within('offset', () => offsetOperand(positive(offset))),
  })
}

function positive(count: number | null): number | null {
  if (count !== null && count < 0) throw badRequest('not-supported', 'unexpected negative value')
  return count
}

const offsetOperand = (offset: number | null): Rows['offset'] =>
  offset === null ? null : { kind: 'param', source: { from: 'constant', value: String(offset) }, type: 'bigint' }

/** A column of a row as JSON, in the form in which the caller reads it. */
export function columnOutput({ name, type }: ColumnModel, { select }: ReadableTable, { reads }: Caller): Output {
  const seen = select.transformed.get(name)
  if (!seen) return { kind: 'column', column: name, type }
  const output = transformedOutput(seen)
  if (isReadByFunction(seen)) reads.set(output, seen)
  return output
}

const wildcard = /^\*(\.\*)*$/

/** The object of a row. Explicit names take precedence over those of a wildcard. */
function planColumns(selections: readonly ColumnSelection[], access: ReadableTable, caller: Caller): Output {
  const named = new Set<string>()
  const outputs = new Map<string, Output>()
  let depth = 0
  let related = 0
  caller.cost.add(selections.length)
  for (const [i, selection] of selections.entries()) {
    if (typeof selection === 'string' && wildcard.test(selection)) {
      depth = Math.max(depth, (selection.length + 1) / 2)
      continue
    }
    within(i, () => {
      const isColumn = typeof selection === 'string'
      if (!isColumn) caller.cost.add(selectionCost(related++))
      const output = isColumn ? planColumn(selection, access, caller) : planRelationship(selection, access, caller)
      named.add(isColumn ? selection : selection.name)
      outputs.set(isColumn ? selection : (selection.alias ?? selection.name), output)
    })
  }
  const expanded = new Expansion(caller).expand(access, depth, named)
  const entries = [...outputs].map(([key, value]): OutputEntry => ({ key, value }))
  return { kind: 'object', entries: [...entries, ...expanded.filter(({ key }) => !outputs.has(key))] }
}

const planColumn = (name: string, access: ReadableTable, caller: Caller): Output =>
  columnOutput(caller.readableColumn(access, name, 'relationships have to be expanded'), access, caller)

function planRelationship(selection: RelationshipSelection, access: ReadableTable, caller: Caller): Output {
  const relationship = requireRelationship(access, selection.name)
  const related = caller.related(relationship)
  const select = planSelect(selection, related, caller, relationship.mapping)
  if (relationship.type === 'array') return { kind: 'many', select }
  const { where, order_by, limit, offset } = selection
  if ([where, order_by, limit, offset].some((given) => given !== undefined)) {
    const refused = `'where', 'order_by', 'limit' and 'offset'  can't be used`
    throw badRequest('unexpected-payload', `when selecting an 'obj_relationship' ${refused}`)
  }
  return objectOutput(relationship, related, select.output)
}

/** The related row's object: a role's limit is about lists. */
function objectOutput({ mapping, unique }: RelationshipModel, { select }: ReadableTable, output: Output): Output {
  return { kind: 'one', unique, select: { rows: select.row({ mapping }), output } }
}

/** Expands wildcards into columns and relationships. */
class Expansion {
  readonly #caller: Caller
  #size = 0

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** All columns that may be read, and `depth - 1` levels of all relationships; without those that are `named`. */
  expand(access: ReadableTable, depth: number, named: ReadonlySet<string> = new Set()): OutputEntry[] {
    if (depth === 0) return []
    const { table, select } = access
    const columns = [...table.columns.values()].filter(({ name }) => isReadable(name, select) && !named.has(name))
    const entries = columns.map((column): OutputEntry => {
      return { key: column.name, value: columnOutput(column, access, this.#caller) }
    })
    this.#count(entries.length)
    this.#caller.cost.add(entries.length)
    if (depth === 1) return entries
    for (const field of table.fields.values()) {
      if (field.kind !== 'relationship' || named.has(field.name) || !this.#caller.mayFollow(field)) continue
      this.#count(1)
      this.#caller.cost.add(relatedCost)
      entries.push({ key: field.name, value: this.#related(field, depth - 1) })
    }
    return entries
  }

  #related(relationship: RelationshipModel, depth: number): Output {
    const access = this.#caller.related(relationship)
    const output: Output = { kind: 'object', entries: this.expand(access, depth) }
    if (relationship.type === 'object') return objectOutput(relationship, access, output)
    const rows = planRows({ columns: [] }, access, this.#caller, relationship.mapping)
    return { kind: 'many', select: { rows, output } }
  }

  #count(entries: number): void {
    this.#size += entries
    if (this.#size <= maxExpanded) return
    throw badRequest('not-supported', `the wildcard stands for more than ${maxExpanded} columns and relationships`)
  }
}
