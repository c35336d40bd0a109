// Several remote schemas may share a type, which is one type in a role's schema. The permissions of all of them must show the
// same members of it: otherwise the first request would decide which members the role sees, and one could leak into another.

import { isEnumType, isInputObjectType, isInterfaceType, isObjectType, isUnionType } from 'graphql'
import { compareText } from '../../../sdk/index.ts'
import type { RemoteView } from './view.ts'

/** The first type that two views of a role show with different members, by local name; null if there is no such type. */
export function shownOtherwise(names: readonly string[], one: RemoteView, other: RemoteView): string | null {
  if (one.isWhole && other.isWhole) return null
  const differing = names.find((name) => {
    const [first, second] = [shown(name, one), shown(name, other)]
    return first !== null && second !== null && first !== second
  })
  return differing ?? null
}

/** The visible members of a type, with their arguments; null if the view hides the type. */
export function shown(localName: string, view: RemoteView): string | null {
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
