// What depends on an object that is about to go.

import { badRequest, compareText } from '../../sdk/index.ts'
import { type Dependency, type ObjectRef, objectKey, objectText } from '../../sdk/metadata.ts'

/** Removes the dependents when the caller asked for that, and refuses otherwise, if there are any. */
export function releaseDependents(
  dependencies: readonly Pick<Dependency, 'object'>[],
  { cascade, remove }: { readonly cascade: boolean; readonly remove: (object: ObjectRef) => boolean },
): void {
  const dependents = [...new Map(dependencies.map(({ object }) => [objectKey(object), object])).values()]
  if (dependents.length === 0) return
  if (!cascade) {
    const list = dependents.map(objectText).sort(compareText).join(', ')
    throw badRequest('dependency-error', `cannot drop due to the following dependent objects : ${list}`)
  }
  for (const object of dependents) remove(object)
}
