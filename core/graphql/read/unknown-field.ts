// The refusal of a field that a type does not have.

import { type TrellisError, validationFailed } from '../../errors/errors.ts'
import { didYouMean } from '../../errors/nearest.ts'
import { type Path, pathKeys } from '../../errors/path.ts'

/** Of an object type or an input type; `names` are those of the fields that it has for the role. */
export const unknownField = (name: string, type: string, path: Path, names: () => Iterable<string>): TrellisError =>
  validationFailed(`field "${name}" not found in type: '${type}'`, pathKeys(path), didYouMean(name, names))
