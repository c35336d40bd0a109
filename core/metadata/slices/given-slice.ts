// Texts of received documents that say more than the stored form: defaults that are written out, other spellings and
// other orders. Exports of the same format contain them again.

import { Type } from '@sinclair/typebox'
import type { Slice } from './slices.ts'

/** The text of one part of a received document that differs from its canonical form. */
export interface GivenText {
  /** The slice and the key of the entry, as JSON; without them, the {@link Frame} of the document. */
  readonly key: string
  readonly text: string
  /** The name of the source in the text. */
  readonly source: string
}

declare module '../../../sdk/registry.ts' {
  interface DocumentSlices {
    given: GivenText[]
  }
}

/** The key of the slice; documents on the wire have no such key. */
export const givenKey = 'given'

/** Keeps the texts. They change no behaviour, so nothing resolves them. */
export const givenSlice: Slice = {
  key: givenKey,
  isInternal: true,
  schema: Type.Unknown(),
  empty: [],
  entryKey: (entry) => (entry as GivenText).key,
  isUsable: (entry) => typeof (entry as GivenText | null)?.key === 'string',
}
