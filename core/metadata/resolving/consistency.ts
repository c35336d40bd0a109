// Inconsistent objects on the wire, and the checks that refuse a change because of them.

import { badRequest, internalError, type TrellisError } from '../../errors/errors.ts'
import type { Dialect } from '../../names/dialect.ts'
import {
  type ConflictingObject,
  type Inconsistency,
  type ObjectRef,
  objectKey,
  type Rename,
  renamedRef,
} from '../document/objects.ts'
import { listedObject, reasonsText, reasonText, type Wording } from './wording.ts'

/**
 * The check of a rebuilt model. `object`: the object just written must be consistent. `new`: no further object may
 * become inconsistent. `strict`: nothing may be inconsistent. `none`: no check.
 */
export type ConsistencyCheck = 'object' | 'new' | 'strict' | 'none'

/** All objects that an inconsistency excludes. */
export const inconsistentObjects = (inconsistency: Inconsistency): readonly ConflictingObject[] => [
  inconsistency,
  ...(inconsistency.others ?? []),
]

/** The form of a list of inconsistent objects. */
export interface ListingForm {
  readonly dialect: Dialect
  readonly wording: Wording
}

/** An inconsistency as `get_inconsistent_metadata` lists it. */
export function inconsistencyJson(inconsistency: Inconsistency, form: ListingForm): Record<string, unknown> {
  const { dialect, wording } = form
  if (inconsistency.listed) return inconsistency.listed(wording.source)
  const reason = inconsistency.isClash ? inconsistency.reason : reasonText(inconsistency.reason, wording)
  const objects = inconsistentObjects(inconsistency).map((object) => {
    const { ref, definition } = object
    const shown = ref.kind === 'table' ? tableDefinition(ref, definition, dialect) : definition
    return listedObject({ ...object, definition: shown }, wording)
  })
  if (inconsistency.isClash) return { reason, conflicts: objects.map(({ definition }) => definition) }
  return objects.length > 1 ? { reason, objects } : { ...objects[0], reason }
}

function tableDefinition({ table }: ObjectRef, definition: unknown, dialect: Dialect): unknown {
  return dialect.bareTableNames && table?.schema === 'public' ? table.name : definition
}

/** A change with the facts that the check needs. */
export interface CheckedChange {
  readonly before: readonly Inconsistency[]
  readonly after: readonly Inconsistency[]
  /** The renames that the change made. */
  readonly renamed: readonly Rename[]
  /** The objects just written. */
  readonly objects: readonly ObjectRef[]
  readonly form: ListingForm
}

/** Refuses a change that leaves objects inconsistent, or makes them so. */
export function checkConsistency(check: ConsistencyCheck, change: CheckedChange): void {
  if (check === 'none') return
  const all = check === 'strict' ? change.after : newInconsistencies(change)
  const found = all.filter(({ isTolerated }) => !isTolerated || (check !== 'strict' && isTolerated !== true))
  if (found.length === 0) return
  const json = (list: readonly Inconsistency[]) => list.map((each) => inconsistencyJson(each, change.form))
  if (check === 'strict') {
    throw badRequest('unexpected', 'cannot continue due to inconsistent metadata', { internal: json(found) })
  }
  if (check === 'new') {
    const message = 'cannot continue due to newly found inconsistent metadata'
    throw internalError(message, { internal: json(found) })
  }
  throw objectError(found, change, json)
}

function objectError(
  found: readonly Inconsistency[],
  { objects, form: { wording } }: Pick<CheckedChange, 'objects' | 'form'>,
  json: (list: readonly Inconsistency[]) => unknown,
): TrellisError {
  const keys = new Set(objects.map(objectKey))
  const own = found.filter((each) => inconsistentObjects(each).some(({ ref }) => keys.has(objectKey(ref))))
  if (own.length === 0) {
    return badRequest('unexpected', 'cannot continue due to new inconsistent metadata', { internal: json(found) })
  }
  const reasons = reasonsText(
    own.map(({ reason }) => reason),
    wording,
  )
  const code = wording.interface === '2' ? 'invalid-configuration' : 'constraint-violation'
  return badRequest(code, reasons, { internal: json(own), help: own[0]?.help })
}

/** Inconsistencies about objects that were consistent before. */
function newInconsistencies({ before, after, renamed }: CheckedChange): Inconsistency[] {
  if (after.length === 0) return []
  const refs = before.flatMap(inconsistentObjects).map(({ ref }) => renamed.reduce(renamedRef, ref))
  const known = new Set(refs.map(objectKey))
  return after.filter((each) => inconsistentObjects(each).some(({ ref }) => !known.has(objectKey(ref))))
}
