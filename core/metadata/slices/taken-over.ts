// Parts of a stored document whose plugin was not loaded when they were received. Once a plugin declares such a key, its
// value becomes that of the plugin's slice.

import { memberOf } from '../../json/json.ts'
import type { MetadataDocument } from '../document/document.ts'
import { isOfSource } from '../document/given-document.ts'
import type { DocumentFormat } from './document-format.ts'
import { sourceKey } from './given-source.ts'
import { type MetadataRegistry, setSliceValue, sliceEntries, sliceValue } from './registry.ts'
import { unservedKey } from './unserved.ts'

/** Reads the value of one key of a document. */
export type PartReader = Pick<DocumentFormat, 'readPart'>

/** A document, and the keys of the slices that no longer equal their stored rows. */
export interface TakenOver {
  readonly document: MetadataDocument
  readonly changed: ReadonlySet<string>
}

/** Moves values of declared keys to their slices. A value that cannot be read stays where it is. */
export async function takeOver(
  stored: MetadataDocument,
  registry: MetadataRegistry,
  format: PartReader,
): Promise<TakenOver> {
  const document = { ...stored }
  const changed = new Set<string>()
  for (const { holder, key } of heldKeys(stored, registry)) {
    const read = await format.readPart(key, memberOf(sliceValue(document, holder) as object, key)).catch(() => null)
    if (!read) continue
    // Values that were stored by the plugin are newer.
    if (isEmpty(document, key, registry)) setSliceValue(document, key, read.value)
    setSliceValue(document, holder, without(sliceValue(document, holder), key))
    changed.add(holder).add(key)
  }
  return { document, changed }
}

/** The declared keys that a document holds elsewhere. */
function heldKeys({ unserved, source }: MetadataDocument, registry: MetadataRegistry) {
  const declared = (of: object | null, holder: string) =>
    Object.keys(of ?? {})
      .filter((key) => registry.isDeclared(key))
      .map((key) => ({ holder, key }))
  return [...declared(unserved, unservedKey), ...declared(source, sourceKey).filter(({ key }) => isOfSource(key))]
}

function isEmpty(document: MetadataDocument, key: string, registry: MetadataRegistry): boolean {
  const slice = registry.find(key)
  return slice?.entryKey ? sliceEntries(document, key).length === 0 : sliceValue(document, key) === slice?.empty
}

/** An object without a key; null if nothing is left of it. */
function without(value: unknown, key: string): unknown {
  const { [key]: _, ...others } = value as Readonly<Record<string, unknown>>
  return Object.keys(others).length > 0 ? others : null
}
