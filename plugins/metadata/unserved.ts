// Keys of later documents for features that this server lacks: kept, exported unchanged, and listed as inconsistent.

import { type Dialect, Type } from '../../sdk/index.ts'
import type { ObjectDescription, SliceDefinition } from '../../sdk/metadata.ts'
import { saysNothing } from '../../sdk/services.ts'

declare module '../../sdk/registry.ts' {
  interface DocumentSlices {
    rest_endpoints?: unknown
    api_limits?: unknown
    inherited_roles?: unknown
    graphql_schema_introspection?: unknown
  }
}

interface UnservedKey {
  readonly key: 'rest_endpoints' | 'api_limits' | 'inherited_roles' | 'graphql_schema_introspection'
  /** Whether ignoring the key gives more access than the document intends. */
  readonly restricts: boolean
}

const unservedKeys: readonly UnservedKey[] = [
  { key: 'rest_endpoints', restricts: false },
  { key: 'api_limits', restricts: true },
  { key: 'inherited_roles', restricts: false },
  { key: 'graphql_schema_introspection', restricts: true },
]

const kind = 'unserved metadata'

const described = ({ key, restricts }: UnservedKey, definition: unknown): ObjectDescription => ({
  ref: { kind, name: key },
  type: key,
  definition,
  isTolerated: !restricts,
})

const sliceOf = (unserved: UnservedKey): SliceDefinition<UnservedKey['key']> => ({
  schema: Type.Unknown(),
  empty: null,
  read: (value) => (saysNothing(value) ? null : value),
  write: (value) => value ?? undefined,
  resolve(value, context) {
    if ((value ?? null) !== null) context.report(described(unserved, value), `"${unserved.key}" is not served`)
  },
  remove(draft, object) {
    if (object.kind !== kind || object.name !== unserved.key) return false
    draft[unserved.key] = null
    return true
  },
})

/** The slices, by key; empty in a dialect that refuses unknown keys of documents. */
export const unservedSlices = ({ unknownKeysPass }: Pick<Dialect, 'unknownKeysPass'>) =>
  unknownKeysPass ? unservedKeys.map((unserved) => ({ key: unserved.key, slice: sliceOf(unserved) })) : []
