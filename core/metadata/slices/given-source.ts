// The source of documents of format 3: one entry that holds the tables. Its name and its settings are kept for exports.

import { Type } from '@sinclair/typebox'
import { badRequest } from '../../errors/errors.ts'
import type { PathKey } from '../../errors/path.ts'
import { isJsonObject, saysNothing } from '../../json/json.ts'
import type { Dialect } from '../../names/dialect.ts'
import type { MetadataDocument } from '../document/document.ts'
import type { StoredSource } from '../document/given-document.ts'
import type { ObjectDescription, Slice } from './slices.ts'

declare module '../../../sdk/registry.ts' {
  interface DocumentSlices {
    /** Null: no document has named the source. */
    source: StoredSource | null
  }
  interface ModelSlices {
    /** The name of the source. */
    source: string
  }
}

/** The key of the slice; documents on the wire have no such key. */
export const sourceKey = 'source'

/** The name that always means the one source. */
export const defaultSource = 'default'

/** The name under which the source was given. */
export const sourceName = ({ source }: Pick<MetadataDocument, 'source'>): string => source?.name ?? defaultSource

/** The source of a document that has none: the database of the server's options. */
export const unnamedSource = ({ environmentPrefix }: Pick<Dialect, 'environmentPrefix'>): StoredSource => ({
  name: defaultSource,
  kind: 'postgres',
  configuration: { connection_info: { database_url: { from_env: `${environmentPrefix}DATABASE_URL` } } },
})

/** Whether the connection of a source is that of exports of this server. */
export const isOwnConnection = (source: StoredSource, dialect: Pick<Dialect, 'environmentPrefix'>): boolean =>
  JSON.stringify(source.configuration) === JSON.stringify(unnamedSource(dialect).configuration)

const kind = 'unserved setting of the source'

/** Settings that need no plugin: the identity of the source, and its connection, which the server has from its options. */
const ownSettings: ReadonlySet<string> = new Set(['name', 'kind', 'configuration'])

const described = (source: StoredSource, key: string): ObjectDescription => ({
  ref: { kind, name: key },
  type: key,
  definition: { source: source.name, [key]: source[key] },
  // None of them restricts what roles may do.
  isTolerated: true,
})

/** Whether a setting asks for nothing beyond what the server does. */
const isServed = (key: string, value: unknown, { namingConvention }: Dialect): boolean => {
  if (ownSettings.has(key) || saysNothing(value)) return true
  if (key !== 'customization' || !isJsonObject(value)) return false
  const { naming_convention: naming, ...others } = value
  return saysNothing(others) && naming === namingConvention
}

/** Keeps the source. A document of format 2 resets it. */
export const sourceSlice: Slice = {
  key: sourceKey,
  isInternal: true,
  schema: Type.Unknown(),
  empty: null,
  // Clients go on to use the name after `clear_metadata`.
  cleared: (value) => value,
  resolve(value, context) {
    const source = value as StoredSource | null
    for (const [key, setting] of Object.entries(source ?? {})) {
      if (source && !isServed(key, setting, context.dialect)) {
        context.report(described(source, key), `"${key}" of a source is not served`)
      }
    }
    return source?.name ?? defaultSource
  },
  remove(draft, object) {
    const { source } = draft
    if (object.kind !== kind || object.name === undefined || !source || !Object.hasOwn(source, object.name))
      return false
    const { [object.name]: _, name, ...others } = source
    draft.source = { name, ...others }
    return true
  },
}

/** Refuses the name of a source that does not exist; null or absent: the one that exists. */
export function requireSource(
  document: Pick<MetadataDocument, 'source'>,
  name: string | null | undefined,
  path: readonly PathKey[] = [],
): void {
  if (name === null || name === undefined || name === defaultSource || name === sourceName(document)) return
  throw badRequest('not-exists', `source with name "${name}" does not exist`, { path })
}
