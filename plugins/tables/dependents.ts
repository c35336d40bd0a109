// The dependents of an object that is about to be removed.

import { badRequest, compareText, type TrellisError } from '../../sdk/index.ts'
import { type Dependency, type OperationContext, objectKey, objectText, withDependents } from '../../sdk/metadata.ts'

type Objects = readonly Pick<Dependency, 'object'>['object'][]

/**
 * Removes the dependents, with all that depends on them, if the caller asked for that. Otherwise refuses, if there are any.
 * A dependent that cannot be removed alone is refused in any case.
 */
export function releaseDependents(
  dependencies: readonly Pick<Dependency, 'object'>[],
  cascade: boolean,
  { model, remove }: Pick<OperationContext, 'model' | 'remove'>,
): void {
  const dependents = [...new Map(dependencies.map(({ object }) => [objectKey(object), object])).values()]
  if (dependents.length === 0) return
  if (!cascade) throw dependencyError(dependents)
  const kept = withDependents(model, dependents).filter((object) => !remove(object))
  if (kept.length > 0) throw dependencyError(kept)
}

function dependencyError(objects: Objects): TrellisError {
  const list = objects.map(objectText).sort(compareText).join(', ')
  return badRequest('dependency-error', `cannot drop due to the following dependent objects : ${list}`)
}
