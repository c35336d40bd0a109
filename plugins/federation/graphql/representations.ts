// The representations that a gateway sends: their types, which a plan depends on, and the values of their keys.

import {
  columnCodec,
  type FieldSelection,
  type PlanContext,
  type SchemaScope,
  type Value,
} from '../../../sdk/graphql.ts'
import { didYouMean, type TrellisError, validationFailed, within } from '../../../sdk/index.ts'
import { isJsonObject } from '../../../sdk/services.ts'
import type { Codec } from '../../../sdk/sql.ts'
import { fewRepresentations, mostRepresentations, representationCost } from '../tuning.ts'
import type { Entities, Entity } from './entities.ts'

/** The member of a row of keys that holds the place of its representation; no column has the name. */
export const placeColumn = 'trellis#place'

/** The items of the argument: one value counts as a list of one. */
const itemsOf = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : [given])

const typenameOf = (item: unknown): unknown =>
  isJsonObject(item) && Object.hasOwn(item, '__typename') ? item['__typename'] : undefined

/** The number of representations rounded up, so that few plans differ by it. */
const roundedCount = (items: readonly unknown[]): number =>
  Math.max(fewRepresentations, 2 ** Math.ceil(Math.log2(items.length)))

/** The part that a plan depends on: the types, and about how many representations; undefined: they are refused. */
function planAspect(given: unknown): string | undefined {
  const items = itemsOf(given)
  if (items.length > mostRepresentations) return undefined
  const names = new Set<string>()
  for (const item of items) {
    const name = typenameOf(item)
    if (typeof name !== 'string') return undefined
    names.add(name)
  }
  return JSON.stringify([roundedCount(items), ...[...names].sort()])
}

/** The types that the representations of a field have; refuses those that the role has no entity of. Adds their cost. */
export function typesIn(representations: Value, entities: Entities, context: PlanContext): ReadonlySet<string> {
  const items = itemsOf(representations.jsonOf(planAspect))
  if (items.length > mostRepresentations) {
    throw representations.fail(`there are more than ${mostRepresentations} representations`)
  }
  context.addCost(representationCost * roundedCount(items), representations.path)
  const types = new Set<string>()
  for (const [i, item] of items.entries()) {
    const name = typenameOf(item)
    const at = (message: string) => refusal(message, i).at(...representations.fail('').path)
    if (!isJsonObject(item)) throw at('a representation must be an object')
    if (typeof name !== 'string') throw at('a representation needs the type name "__typename", a string')
    if (!entities.has(name)) throw unknownType(name, i, entities).at(...representations.fail('').path)
    types.add(name)
  }
  return types
}

const refusal = (message: string, i: number): TrellisError => validationFailed(message, [i])

const unknownType = (name: string, i: number, entities: Entities): TrellisError =>
  validationFailed(
    `no entity has the type "${name}"`,
    [i, '__typename'],
    didYouMean(name, () => entities.keys()),
  )

type Item = Readonly<Record<string, unknown>>

/** Representations of one type with their places. */
type Placed = readonly (readonly [place: number, item: Item])[]

/** The representations of a variable by type: each entity, and each field of an operation, reads its own. */
const groupsOfLists = new WeakMap<object, ReadonlyMap<unknown, Placed>>()

function groupsOf(given: unknown): ReadonlyMap<unknown, Placed> {
  const known = typeof given === 'object' && given !== null ? groupsOfLists.get(given) : undefined
  if (known) return known
  const groups = new Map<unknown, (readonly [number, Item])[]>()
  for (const [place, item] of itemsOf(given).entries()) {
    const name = typenameOf(item)
    const group = groups.get(name)
    if (group) group.push([place, item as Item])
    else groups.set(name, [[place, item as Item]])
  }
  if (typeof given === 'object' && given !== null) groupsOfLists.set(given, groups)
  return groups
}

/**
 * The representations of one entity as a JSON list of rows: their places in the whole list, and the values of the key by
 * column. Refusals are located below the argument.
 */
function keysCodec(scope: SchemaScope, name: string, { key }: Entity): Codec {
  const columns = [...key].map(([field, column]) => {
    return { field, label: JSON.stringify(column.name), codec: columnCodec(scope, column) }
  })
  const rowText = (place: number, item: Item): string => {
    let text = `{"${placeColumn}":${place}`
    for (const { field, label, codec } of columns) {
      const value = Object.hasOwn(item, field) ? item[field] : null
      if (value === undefined || value === null) {
        throw refusal(`the representation of "${name}" needs the key field "${field}"`, place)
      }
      const encoded = within(place, () => within(field, () => codec.encode(value)))
      text += `,${label}:${JSON.stringify(encoded)}`
    }
    return `${text}}`
  }
  return {
    type: '_Any',
    encode: (given) => `[${(groupsOf(given).get(name) ?? []).map(([place, item]) => rowText(place, item)).join(',')}]`,
  }
}

/** The parameter with the keys of one entity, as JSON. */
export function keysParam(field: FieldSelection, scope: SchemaScope, [name, entity]: readonly [string, Entity]) {
  const operand = field.argument('representations')!.param(keysCodec(scope, name, entity), 'json')
  if (operand.kind !== 'param') throw new Error('representations are a parameter')
  return operand
}
