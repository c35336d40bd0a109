// The representations that a gateway sends: their types, which a plan depends on, and the values of their keys.

import { columnCodec, type FieldSelection, type SchemaScope, type Value } from '../../../sdk/graphql.ts'
import { didYouMean, type TrellisError, validationFailed, within } from '../../../sdk/index.ts'
import { isJsonObject } from '../../../sdk/services.ts'
import type { Codec } from '../../../sdk/sql.ts'
import { mostRepresentations } from '../tuning.ts'
import type { Entities, Entity } from './entities.ts'

/** The member of a row of keys that holds the place of its representation; no column has the name. */
export const placeColumn = 'trellis#place'

/** The items of the argument: one value counts as a list of one. */
const itemsOf = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : [given])

const typenameOf = (item: unknown): unknown =>
  isJsonObject(item) && Object.hasOwn(item, '__typename') ? item['__typename'] : undefined

/** The types of representations, as the text that a plan depends on; undefined: they are refused. */
function typesText(given: unknown): string | undefined {
  const items = itemsOf(given)
  if (items.length > mostRepresentations) return undefined
  const names = new Set<string>()
  for (const item of items) {
    const name = typenameOf(item)
    if (typeof name !== 'string') return undefined
    names.add(name)
  }
  return JSON.stringify([...names].sort())
}

/** The types that the representations of a field have; refuses those that the role has no entity of. */
export function typesIn(representations: Value, entities: Entities): ReadonlySet<string> {
  const items = itemsOf(representations.jsonOf(typesText))
  if (items.length > mostRepresentations) {
    throw representations.fail(`there are more than ${mostRepresentations} representations`)
  }
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

/**
 * The representations of one entity as a JSON list of rows: their places in the whole list, and the values of the key by
 * column. Refusals are located below the argument.
 */
function keysCodec(scope: SchemaScope, name: string, { key }: Entity): Codec {
  const columns = [...key].map(([field, column]) => ({ field, column: column.name, codec: columnCodec(scope, column) }))
  return {
    type: '_Any',
    encode(given) {
      const rows: object[] = []
      for (const [place, item] of itemsOf(given).entries()) {
        if (typenameOf(item) !== name) continue
        const values = columns.map(({ field, column, codec }) => {
          const value = (item as Readonly<Record<string, unknown>>)[field]
          if (value === undefined || value === null) {
            throw refusal(`the representation of "${name}" needs the key field "${field}"`, place)
          }
          return [column, within(place, () => within(field, () => codec.encode(value)))] as const
        })
        rows.push({ [placeColumn]: place, ...Object.fromEntries(values) })
      }
      return JSON.stringify(rows)
    },
  }
}

/** The parameter with the keys of one entity, as JSON. */
export function keysParam(field: FieldSelection, scope: SchemaScope, [name, entity]: readonly [string, Entity]) {
  const operand = field.argument('representations')!.param(keysCodec(scope, name, entity), 'json')
  if (operand.kind !== 'param') throw new Error('representations are a parameter')
  return operand
}
