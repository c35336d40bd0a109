// `order_by` of the data operation `select`.

import { relatedCost } from '../../sdk/access.ts'
import { badRequest, didYouMean, within } from '../../sdk/index.ts'
import type { ColumnModel } from '../../sdk/metadata.ts'
import { isOrdered, type OrderItem, type OrderTarget } from '../../sdk/sql.ts'
import { kindText } from '../permissions/index.ts'
import type { Caller, ReadableTable } from './caller.ts'
import type { OrderTerm } from './schema.ts'

const unexpected = (message: string) => badRequest('unexpected-payload', message)

/** The order that a request asks for; errors have the term's place. */
export function planOrder(terms: readonly OrderTerm[], access: ReadableTable, caller: Caller): OrderItem[] {
  caller.cost.add(terms.length)
  return terms.map(({ path, direction, nulls }, i) =>
    within(i, () => ({ target: target(path, access, caller), direction, nulls })),
  )
}

function target([name, ...rest]: readonly string[], access: ReadableTable, caller: Caller): OrderTarget {
  const { table, select } = access
  const field = table.columns.get(name!) ?? table.fields.get(name!)
  if (!field || (field.kind === 'column' && field.name !== name)) {
    caller.refuseUnknown(name!, select.columns)
    const help = didYouMean(name!, () => select.columns)
    throw badRequest('not-exists', `"${name}" does not exist`, { help })
  }
  if (field.kind === 'column') return columnTarget(field, rest, access, caller)
  if (field.kind !== 'relationship')
    throw unexpected(`"${name}" is a ${kindText(field)} and can't be used in 'order_by'`)
  if (rest.length === 0) throw unexpected(`"${name}" is a relationship and should be expanded`)
  if (field.type === 'array') throw unexpected(`"${name}" is an array relationship and can't be used in 'order_by'`)
  caller.cost.add(relatedCost)
  const related = caller.related(field)
  const { mapping, unique } = field
  return related.select.orderByRelated({ mapping, unique, of: target(rest, related, caller) })
}

/** Types of PostGIS have an order without a meaning: it makes values distinct, but is useless for sorting. */
const isSpatial = ({ name }: ColumnModel['type']): boolean => name === 'geometry' || name === 'geography'

const unusable = ({ name, type }: Pick<ColumnModel, 'name' | 'type'>, where: string) =>
  unexpected(`"${name}" has type '${type.name}' and cannot be used in ${where}`)

/** Refuses a column whose values PostgreSQL cannot tell apart. */
export function requireDistinct(column: Pick<ColumnModel, 'name' | 'type'>): void {
  if (!isOrdered(column.type) && !isSpatial(column.type)) throw unusable(column, 'distinct')
}

function columnTarget(
  { name, type }: ColumnModel,
  rest: readonly string[],
  { select }: ReadableTable,
  caller: Caller,
): OrderTarget {
  caller.refuseTransformed(select, name)
  caller.requireColumnOf(select.columns, 'select', name)
  if (rest.length > 0) throw unexpected(`"${name}" is a Postgres column and cannot be chained further`)
  if (!isOrdered(type) || isSpatial(type)) throw unusable({ name, type }, 'order_by')
  return { kind: 'column', column: name }
}
