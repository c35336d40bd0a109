// The error about a field that a type does not have.

import { type TrellisError, validationFailed } from '../../errors/errors.ts'
import { didYouMean } from '../../errors/nearest.ts'
import { type Path, pathKeys } from '../../errors/path.ts'

/** For an object type or an input type; `names` are the names of the fields that the role sees. */
export const unknownField = (name: string, type: string, path: Path, names: () => Iterable<string>): TrellisError =>
  validationFailed(`field "${name}" not found in type: '${type}'`, pathKeys(path), didYouMean(name, names))
