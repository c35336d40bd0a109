// Makes the fields of contributions, and refuses those that cannot be served, with the names of their owners.

import type { GraphQLFieldConfig } from 'graphql'
import { blame, blaming, own, ownerOf } from '../../errors/blame.ts'
import { isGraphQLName } from '../../names/names.ts'
import type { Contribution, RootFieldMaker } from './contribution.ts'
import { type FieldPlace, fieldFault } from './field.ts'

/** A contributed field that no request can be served by: a fault of the plugin. */
export class FieldFault extends Error {
  constructor(contribution: Contribution, message: string) {
    super(message)
    blame(this, contribution)
  }
}

interface MadeField {
  readonly name: string
  readonly place: FieldPlace
  /** The root type, or the table. */
  readonly of: string
  readonly contribution: Contribution
  /** Whether requests are planned with it, so that errors of its planner name the owner: the record of each costs memory. */
  readonly isPlanned: boolean
}

/** Makes a field; refuses errors that would be reported without naming field and owner, or not at all. */
export function servable(
  make: RootFieldMaker,
  { name, place, of, contribution, isPlanned }: MadeField,
): GraphQLFieldConfig<unknown, unknown> {
  const config = blaming(contribution, make)
  const fault = isGraphQLName(name) ? fieldFault(config, place) : 'has no valid GraphQL name'
  if (fault === null) {
    const whose = isPlanned ? ownerOf(contribution) : undefined
    if (whose !== undefined) own(config.extensions?.[place], whose)
    return config
  }
  const field = place === 'root' ? `the root field "${name}"` : `the field "${name}" of table "${of}"`
  throw new FieldFault(contribution, `GraphQL contribution "${contribution.name}": ${field} ${fault}`)
}

/** Refuses a contribution's result that is not a field map, such as a plain object, before later lookups fail on it. */
export function requireFields({ get }: { readonly get: unknown }, contribution: Contribution, what: string): void {
  if (typeof get === 'function') return
  throw new FieldFault(
    contribution,
    `GraphQL contribution "${contribution.name}" must return its ${what} as a fieldMap`,
  )
}

/** A contribution and its fields. */
export type FieldsOf<Fields> = readonly [contribution: Contribution, fields: Fields]

/** Fields of a contribution by name. */
interface Fields<Make> extends Iterable<readonly [name: string, make: Make]> {
  get(name: string): Make | undefined
}

/** How fields of several contributions become one map. */
export interface Merging<Make> {
  /** Used in the report about two contributions with the same field. */
  readonly place: string
  readonly report: (conflict: string) => void
  readonly checked?: ((make: Make, name: string, contribution: Contribution) => Make) | undefined
  /** Whether the contribution may not add the field. */
  readonly skips?: ((name: string, contribution: Contribution) => boolean) | undefined
}

/** The fields of several contributions; the first contribution of a name wins. */
export function mergeFields<Make>(
  sources: readonly FieldsOf<Fields<Make>>[],
  { place, report, checked = (make) => make, skips }: Merging<Make>,
): ReadonlyMap<string, Make> {
  const merged = new Map<string, Make>()
  for (const [contribution, fields] of sources) {
    const add = (make: Make, name: string) => {
      if (skips?.(name, contribution)) return
      if (!merged.has(name)) {
        merged.set(name, checked(make, name, contribution))
      } else if (!contribution.yields) {
        const [owner] = sources.find(([, others]) => others.get(name))!
        report(`"${owner.name}" and "${contribution.name}" both add the field "${name}" to ${place}`)
      }
    }
    // An iterator would make an array of each name with its value.
    if (fields instanceof Map) fields.forEach(add)
    else for (const [name, make] of fields) add(make, name)
  }
  return merged
}

/** The first values, at most this number. */
export function* firstOf<T>(values: Iterable<T>, most: number): Iterable<T> {
  let left = most
  for (const value of values) {
    if (left-- === 0) return
    yield value
  }
}
