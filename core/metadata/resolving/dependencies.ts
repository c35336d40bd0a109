// Who needs whom. A model lists all dependencies; asking for those on one table does not have to walk the list.

import { nameKey, type QualifiedName, sameName } from '../../names/names.ts'
import type { Model } from '../document/model.ts'
import { type Dependency, type ObjectRef, objectKey } from '../document/objects.ts'

/** A part of a model with the dependencies of its objects; it looked at every table that they lead to. */
export interface DependentPart {
  readonly dependencies: readonly Dependency[]
  readonly reads: { readonly tables: ReadonlySet<string> }
}

type DependentParts = readonly ReadonlyMap<string, DependentPart>[]

const partsOfModels = new WeakMap<Model, DependentParts>()

/** Tells what a model was put together from: tables by their key, stage after stage, and slices. */
export function rememberParts(model: Model, parts: DependentParts): void {
  partsOfModels.set(model, parts)
}

/** The dependencies on a table and on anything inside it. */
export function dependenciesOn(model: Model, table: QualifiedName): readonly Dependency[] {
  const isInside = ({ on }: Dependency) => on.table !== undefined && sameName(on.table, table)
  const parts = partsOfModels.get(model)
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

/** Objects, and all that depend on one of them, directly or through others. */
export function withDependents(model: Model, objects: readonly ObjectRef[]): readonly ObjectRef[] {
  const found = new Map(objects.map((object) => [objectKey(object), object]))
  // What is found on the way is gone through as well.
  for (const [key, { table }] of found) {
    const among = table ? dependenciesOn(model, table) : model.dependencies
    for (const { object, on } of among) if (objectKey(on) === key) found.set(objectKey(object), object)
  }
  return [...found.values()]
}
