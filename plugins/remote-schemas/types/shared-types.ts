// A type that several remote schemas have in common is one type of a role's schema: what permissions show of it has to be the
// same for all of them. Else it would depend on which is asked first, and one could be given what only another one shows.

import { isEnumType, isInputObjectType, isInterfaceType, isObjectType, isUnionType } from 'graphql'
import { compareText } from '../../../sdk/index.ts'
import type { RemoteView } from './view.ts'

/** The first of the types, by local names, that two views of one role both show, and show otherwise; null: there is none. */
export function shownOtherwise(names: readonly string[], one: RemoteView, other: RemoteView): string | null {
  if (one.isWhole && other.isWhole) return null
  const differing = names.find((name) => {
    const [first, second] = [shown(name, one), shown(name, other)]
    return first !== null && second !== null && first !== second
  })
  return differing ?? null
}

/** What a view shows of a type: the names of its members, and of their arguments; null: nothing. */
function shown(localName: string, view: RemoteView): string | null {
  const { schema, names, definitions } = view.types
  const type = definitions.has(localName) ? schema.getType(names.remoteType(localName)) : undefined
  if (!type || !view.sees(type)) return null
  if (isObjectType(type) || isInterfaceType(type)) {
    const fields = view.fields(type).map((field) => {
      const given = view.arguments(type, field).map(({ name }) => name)
      return `${names.localField(type.name, field.name)}(${sorted(given)})`
    })
    return `${sorted(fields)} ${sorted(view.interfaces(type).map(({ name }) => names.localType(name)))}`
  }
  if (isUnionType(type)) return sorted(view.possibleTypes(type).map(({ name }) => names.localType(name)))
  if (isInputObjectType(type)) return sorted(view.inputFields(type).map(({ name }) => name))
  return isEnumType(type) ? sorted(view.enumValues(type).map(({ name }) => name)) : ''
}

const sorted = (names: readonly string[]): string => [...names].sort(compareText).join()
