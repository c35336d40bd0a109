// The metadata of the target.

import { isJsonObject } from '../../core/json/json.ts'
import type { Json } from '../project/parts.ts'
import { type Path, type Place, pathInDocument } from '../project/places.ts'
import { problemsOf } from '../target/answers.ts'
import type { Target } from '../target/target.ts'

/** A document with its version, which a change names to notice other changes. */
export interface ServedMetadata {
  readonly document: Json
  /** Null for servers that do not count versions. */
  readonly version: number | null
}

/** Exports the metadata of the target. */
export async function exportMetadata(target: Target): Promise<ServedMetadata> {
  const answer = await target.run<Json>({ type: 'export_metadata', version: 2, args: {} })
  const { metadata, resource_version: version } = answer
  if (!isJsonObject(metadata)) return { document: answer, version: null }
  return { document: metadata, version: typeof version === 'number' ? version : null }
}

/** A document to apply. */
export interface Application {
  readonly document: Json
  readonly place: Place
  readonly isStrict: boolean
  readonly isDryRun?: boolean
  readonly version?: number | null
}

/** Replaces the metadata of the target, and returns the problems of the document. */
export async function applyMetadata(target: Target, given: Application): Promise<readonly string[]> {
  const { document, place, isStrict, isDryRun = false, version = null } = given
  const args = {
    metadata: document,
    allow_inconsistent_metadata: !isStrict || isDryRun,
    ...(isDryRun && { dry_run: true }),
  }
  const resource = version === null || isDryRun ? {} : { resource_version: version }
  const operation = { type: 'replace_metadata', version: 2, args, ...resource }
  const answer = await target.run<Json>(operation, { placeOf: (path) => placeOf(pathInDocument(path), place) })
  return [...problemsOf(answer['inconsistent_objects']), ...problemsOf(answer['passed_over'])]
}

/** An error about the request as a whole has no place. */
const placeOf = (path: Path, place: Place): string | null => (path.length === 0 ? null : place(path))
