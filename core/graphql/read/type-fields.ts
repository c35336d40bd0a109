// The fields of a type: those that an input may leave out, and the error about a field that a type does not have.

import { type GraphQLInputField, type GraphQLInputObjectType, isNonNullType } from 'graphql'
import { type TrellisError, validationFailed } from '../../errors/errors.ts'
import { didYouMean } from '../../errors/nearest.ts'
import { type Path, pathKeys } from '../../errors/path.ts'

/** For an object type or an input type; `names` are the names of the fields that the role sees. */
export const unknownField = (name: string, type: string, path: Path, names: () => Iterable<string>): TrellisError =>
  validationFailed(`field "${name}" not found in type: '${type}'`, pathKeys(path), didYouMean(name, names))

const completed = new WeakMap<GraphQLInputObjectType, readonly GraphQLInputField[]>()

/** The fields that need a value or have a default. A memo: conditions have hundreds of other fields. */
export function completedFields(type: GraphQLInputObjectType): readonly GraphQLInputField[] {
  const known = completed.get(type)
  if (known) return known
  const all = Object.values(type.getFields())
  const unused = all.find(({ default: used, defaultValue }) => used === undefined && defaultValue !== undefined)
  if (unused) {
    const field = `the field "${unused.name}" of the input type "${type.name}"`
    throw new Error(`${field} has "defaultValue", which is not used: write default: { value }`)
  }
  const fields = all.filter((field) => isNonNullType(field.type) || field.default)
  completed.set(type, fields)
  return fields
}
