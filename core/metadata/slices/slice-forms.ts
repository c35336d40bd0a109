// One part of a document between its stored form and its wire form, by the declaration of its slice.

import { compareText } from '../../names/names.ts'
import { decode, type UnknownKeys } from '../../wire/decode.ts'
import { defaultSource } from './given-source.ts'
import type { FormatContext, Slice } from './slices.ts'

/** The format of stored forms, and of exports in the interface of v1.3. */
export const currentVersion = 2

/** Reads a value that the slice itself has written; throws when it does not fit the declaration. */
export function readStored(slice: Slice, value: unknown, context: FormatContext): void {
  const wire = writeSlice(slice, slice.entryKey ? [value] : value, context)
  if (wire === undefined) return
  const decoded = decode(slice.schema, wire)
  if (slice.readEntry) for (const entry of decoded as readonly unknown[]) slice.readEntry(entry, context)
  else slice.read?.(decoded, { formatVersion: currentVersion })
}

/** Writes the value of a slice, or one entry of its list. */
export function writeOne(slice: Slice, value: unknown, context: FormatContext, source = defaultSource): unknown {
  if (!slice.entryKey) return writeSlice(slice, value, context, source)
  const list = writeSlice(slice, [value], context, source)
  return Array.isArray(list) ? list[0] : list
}

export function writeSlice(slice: Slice, value: unknown, context: FormatContext, source = defaultSource): unknown {
  if (slice.write) return slice.write(value, { formatVersion: context.formatVersion ?? currentVersion, source })
  const isEmpty = value === slice.empty || (Array.isArray(value) && value.length === 0)
  if (isEmpty && !slice.isRequired) return undefined
  if (!slice.entryKey) return value
  const sorted = sortedEntries(slice, value as readonly unknown[])
  return slice.writeEntry ? sorted.map((entry) => slice.writeEntry?.(entry, context)) : sorted
}

/** The entries of a list in the order of documents. */
export function sortedEntries(slice: Slice, entries: readonly unknown[]): readonly unknown[] {
  const key = (entry: unknown) => slice.entryKey?.(entry) ?? ''
  const compare = (a: unknown, b: unknown) => slice.compareEntries?.(a, b) ?? compareText(key(a), key(b))
  return [...entries].sort(compare)
}

/** Reads the value of a slice, or one entry of its list, from its wire form; throws if it does not fit the declaration. */
export function readOne(slice: Slice, wire: unknown, context: FormatContext, unknownKeys: UnknownKeys): unknown {
  const formatVersion = context.formatVersion ?? currentVersion
  const decoded = decode(slice.schema, slice.entryKey ? [wire] : wire, [], unknownKeys)
  if (slice.readEntry) return slice.readEntry((decoded as readonly unknown[])[0], context)
  const read = slice.read ? slice.read(decoded, { formatVersion }) : decoded
  return slice.entryKey ? (read as readonly unknown[])[0] : read
}
