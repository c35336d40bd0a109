// Dependencies between objects. A model lists them all; a query for one table does not need to walk the whole list.

import { nameKey, type QualifiedName, sameName } from '../../names/names.ts'
import type { Model } from '../document/model.ts'
import { type Dependency, type ObjectRef, objectKey } from '../document/objects.ts'

/** The dependencies on a table and on anything inside it. */
export function dependenciesOn(model: Model, table: QualifiedName): readonly Dependency[] {
  const isInside = ({ on }: Dependency) => on.table !== undefined && sameName(on.table, table)
  const { parts } = model
  if (!parts) return model.dependencies.filter(isInside)
  const key = nameKey(table)
  const found: Dependency[] = []
  for (const part of parts) {
    for (const { dependencies, reads } of part.values()) {
      if (!reads.tables.has(key)) continue
      for (const dependency of dependencies) if (isInside(dependency)) found.push(dependency)
    }
  }
  return found
}

/** The objects, and every object that depends on one of them, directly or indirectly. */
export function withDependents(model: Model, objects: readonly ObjectRef[]): readonly ObjectRef[] {
  const found = new Map(objects.map((object) => [objectKey(object), object]))
  // A Map yields entries that are added during the iteration.
  for (const [key, { table }] of found) {
    const among = table ? dependenciesOn(model, table) : model.dependencies
    for (const { object, on } of among) if (objectKey(on) === key) found.set(objectKey(object), object)
  }
  return [...found.values()]
}
