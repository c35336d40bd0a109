// The dependents of an object that is about to be removed.

import { badRequest, compareText, type TrellisError } from '../../sdk/index.ts'
import {
  type Dependency,
  dependentText,
  type OperationContext,
  objectKey,
  withDependents,
  wordingOf,
} from '../../sdk/metadata.ts'

type Objects = readonly Pick<Dependency, 'object'>['object'][]

/**
 * Removes the dependents, with all that depends on them, if the caller asked for that. Otherwise refuses, if there are any.
 * A dependent that cannot be removed alone is refused in any case.
 */
export function releaseDependents(
  dependencies: readonly Pick<Dependency, 'object'>[],
  cascade: boolean,
  context: Pick<OperationContext, 'model' | 'remove' | 'interface'>,
): void {
  const { model, remove } = context
  const dependents = [...new Map(dependencies.map(({ object }) => [objectKey(object), object])).values()]
  if (dependents.length === 0) return
  if (!cascade) throw dependencyError(dependents, context)
  const kept = withDependents(model, dependents).filter((object) => !remove(object))
  if (kept.length > 0) throw dependencyError(kept, context)
}

function dependencyError(objects: Objects, context: Pick<OperationContext, 'model' | 'interface'>): TrellisError {
  const wording = wordingOf(context.model, context)
  const list = objects
    .map((object) => dependentText(object, wording))
    .sort(compareText)
    .join(', ')
  return badRequest('dependency-error', `cannot drop due to the following dependent objects : ${list}`)
}
