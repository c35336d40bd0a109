// The source of documents of format 3: one entry that holds the tables. Its name and its settings are kept for exports.

import { type Static, Type } from '@sinclair/typebox'
import { badRequest } from '../../errors/errors.ts'
import type { PathKey } from '../../errors/path.ts'
import { saysNothing } from '../../json/json.ts'
import type { Dialect } from '../../names/dialect.ts'
import { decode } from '../../wire/decode.ts'
import type { MetadataDocument } from '../document/document.ts'
import type { StoredSource } from '../document/given-document.ts'
import {
  Customization,
  camelConvention,
  camelNaming,
  namingOf,
  plainNaming,
  type SourceNaming,
} from '../naming/source-naming.ts'
import { QueryTags, type TagFormat, tagFormatOf } from './query-tags.ts'
import type { ObjectDescription, Slice } from './slices.ts'

/** The source as requests see it. */
export interface SourceModel {
  readonly name: string
  readonly naming: SourceNaming
  /** The form of comments in statements; null: there are no comments. */
  readonly tagFormat: TagFormat | null
}

declare module '../../../sdk/registry.ts' {
  interface DocumentSlices {
    /** Null: no document has named the source. */
    source: StoredSource | null
  }
  interface ModelSlices {
    source: SourceModel
  }
}

/** The key of the slice; documents on the wire have no such key. */
export const sourceKey = 'source'

/** The name that always means the one source. */
export const defaultSource = 'default'

/** The name under which the source was given, in a document or a model. */
export const sourceName = ({ source }: { readonly source?: { readonly name: string } | null }): string =>
  source?.name ?? defaultSource

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

const withOwnSettings = (source: StoredSource): StoredSource => {
  const own = Object.entries(source).filter(([key]) => ownSettings.has(key))
  return { ...Object.fromEntries(own), name: source.name }
}

const described = (source: StoredSource, key: string): ObjectDescription => ({
  ref: { kind, name: key },
  type: key,
  definition: { source: source.name, [key]: source[key] },
  // None of them restricts the rights of roles.
  isTolerated: true,
})

const customizationKey = 'customization'
const tagsKey = 'query_tags'

/** The customization of a source; null: it cannot be served. */
function customizationOf(source: StoredSource | null, { namingConvention }: Dialect): Customization | null {
  try {
    const customization = decode(Customization, source?.[customizationKey] ?? {})
    const { naming_convention: convention } = customization
    return isConvention(convention, namingConvention) ? customization : null
  } catch {
    return null
  }
}

const isConvention = (given: unknown, plain: string): boolean =>
  saysNothing(given) || given === plain || given === camelConvention

/** Refuses settings of another shape, texts that cannot be parts of names, and unknown naming conventions. */
export function checkSourceSettings(source: StoredSource, at: readonly PathKey[], { namingConvention }: Dialect): void {
  const place = [...at, customizationKey]
  const { naming_convention: convention } = decode(Customization, source[customizationKey] ?? {}, place)
  if (!isConvention(convention, namingConvention)) {
    const message = `naming_convention can either be "${namingConvention}" or "${camelConvention}"`
    throw badRequest('parse-failed', message, { path: [...place, 'naming_convention'] })
  }
  decode(QueryTags, source[tagsKey] ?? {}, [...at, tagsKey])
}

const namings = new WeakMap<StoredSource, SourceNaming>()

/** The conventions of a server. */
interface NamingEnvironment {
  readonly dialect: Dialect
  readonly isCamelByDefault?: boolean
}

/** The naming of a source; one object for each source. A customization that is not served has no effect. */
export function sourceNaming(
  source: StoredSource | null,
  { dialect, isCamelByDefault = false }: NamingEnvironment,
): SourceNaming {
  const standard = isCamelByDefault ? camelNaming : plainNaming
  if (source?.[customizationKey] === undefined) return standard
  const known = namings.get(source)
  if (known) return known
  const customization = customizationOf(source, dialect)
  const isUnnamed = saysNothing(customization?.naming_convention)
  const named = customization ? namingOf(customization) : plainNaming
  const naming = isUnnamed && isCamelByDefault ? { ...named, isCamel: true } : named
  namings.set(source, naming)
  return naming
}

/** Whether a setting asks for nothing that the server does not do. */
function isServed(key: string, source: StoredSource, dialect: Dialect): boolean {
  if (ownSettings.has(key) || saysNothing(source[key])) return true
  if (key === tagsKey) return (tagsOf(source) ?? { omit_request_id: false }).omit_request_id !== false
  return key === customizationKey && customizationOf(source, dialect) !== null
}

/** The query tags of a source; null: it has none, or some that cannot be read. */
function tagsOf(source: StoredSource | null): Static<typeof QueryTags> | null {
  try {
    return (source?.[tagsKey] ?? null) === null ? null : decode(QueryTags, source?.[tagsKey])
  } catch {
    return null
  }
}

/** Keeps the source. A document of format 2 resets it. */
export const sourceSlice: Slice = {
  key: sourceKey,
  isInternal: true,
  schema: Type.Unknown(),
  empty: null,
  // Clients go on to use the name after `clear_metadata`.
  cleared: (value) => value && withOwnSettings(value as StoredSource),
  resolve(value, context) {
    const source = value as StoredSource | null
    for (const key of Object.keys(source ?? {})) {
      if (source && !isServed(key, source, context.dialect)) {
        context.report(described(source, key), `"${key}" of a source is not served`)
      }
    }
    const tags = tagsOf(source)
    return {
      name: source?.name ?? defaultSource,
      naming: context.sourceNaming,
      tagFormat: tags && tagFormatOf(tags),
    }
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
