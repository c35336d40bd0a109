// Top-level keys of received documents that no plugin declares: kept, exported unchanged, and listed as inconsistent if
// they say something. A plugin that declares a slice of that name takes the key over.

import { Type } from '@sinclair/typebox'
import { saysNothing } from '../../json/json.ts'
import type { ObjectDescription, Slice } from './slices.ts'

/** Such keys with their values; null if there is no such key. */
export type UnservedKeys = Readonly<Record<string, unknown>>

declare module '../../../sdk/registry.ts' {
  interface DocumentSlices {
    unserved: UnservedKeys | null
  }
}

/** The key of the slice; documents on the wire have its members instead. */
export const unservedKey = 'unserved'

const kind = 'unserved metadata'

/** Keys that restrict the rights of roles: without them, the API is more open than the document says. */
const restricting: ReadonlySet<string> = new Set(['api_limits', 'graphql_schema_introspection'])

const described = (key: string, definition: unknown): ObjectDescription => ({
  ref: { kind, name: key },
  type: key,
  definition,
  isTolerated: !restricting.has(key),
})

/** The reason why a key is listed. Values of declared keys are taken over (`taken-over.ts`) if they can be read. */
const reasonOf = (key: string, isDeclared: boolean): string =>
  isDeclared ? `it is not in the shape of "${key}"` : `"${key}" is not served`

/** The slice; `isDeclared`: whether a plugin declares a slice of that key. */
export const unservedSlice = (isDeclared: (key: string) => boolean): Slice => ({
  key: unservedKey,
  isInternal: true,
  schema: Type.Unknown(),
  empty: null,
  resolve(value, context) {
    for (const [key, given] of Object.entries((value as UnservedKeys | null) ?? {})) {
      if (!saysNothing(given)) context.report(described(key, given), reasonOf(key, isDeclared(key)))
    }
  },
  remove(draft, object) {
    const { unserved } = draft
    if (object.kind !== kind || object.name === undefined || !unserved || !Object.hasOwn(unserved, object.name)) {
      return false
    }
    const { [object.name]: _, ...others } = unserved
    draft.unserved = Object.keys(others).length > 0 ? others : null
    return true
  },
})
