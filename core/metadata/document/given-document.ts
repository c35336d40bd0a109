// A metadata document as received, in any format: its value for each slice, and where that value stands in the
// document.

import { Type } from '@sinclair/typebox'
import { badRequest, parseFailed } from '../../errors/errors.ts'
import type { PathKey } from '../../errors/path.ts'
import { isJsonObject, jsonType } from '../../json/json.ts'
import { decode } from '../../wire/decode.ts'
import { ObjectName } from '../../wire/types.ts'

export type WireObject = Readonly<Record<string, unknown>>

/** The parts of a document. */
export interface GivenDocument {
  readonly formatVersion: number
  /** The values, by the key of a slice. */
  readonly parts: WireObject
  /** The whole document as received. */
  readonly wire: WireObject
  /** The path of a part in the document. */
  place(key: string): readonly PathKey[]
  /** The source that holds the tables; null if the format has no sources. */
  readonly source: StoredSource | null
}

/**
 * The one source of a document of format 3 as received, without the parts that plugins declare. Its connection is not
 * used: the server has its own.
 */
export interface StoredSource {
  readonly name: string
  readonly [setting: string]: unknown
}

/** Parts of every engine that format 3 keeps in sources. */
const sourceKeys = ['tables', 'functions'] as const

/** Parts of later engines that format 3 keeps in sources. */
const laterParts = ['native_queries', 'logical_models'] as const

/** Parts that stand at the top in every format, which may be of features that this server lacks. */
const topKeys = [
  'remote_schemas',
  'query_collections',
  'allowlist',
  'actions',
  'custom_types',
  'cron_triggers',
  'rest_endpoints',
  'api_limits',
  'metrics_config',
  'inherited_roles',
  'graphql_schema_introspection',
  'network',
  'opentelemetry',
  'backend_configs',
] as const

/** The order of keys in documents; other keys follow in order of registration. */
export const documentOrder: readonly string[] = [...sourceKeys, ...laterParts, ...topKeys]

/** Keys of documents, which may be of features that this server lacks. */
export const laterKeys: ReadonlySet<string> = new Set(topKeys)

/** The same for a table's entry. */
export const laterTableKeys: ReadonlySet<string> = new Set([
  'remote_relationships',
  'event_triggers',
  'apollo_federation_config',
])

/** The same for a source. */
export const laterSourceKeys: ReadonlySet<string> = new Set([
  'configuration',
  'customization',
  'query_tags',
  'health_check',
  ...laterParts,
  'stored_procedures',
])

/** The value of an own key. */
export const own = (object: WireObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined)

/** The error for a key that documents do not have at that place. */
export const unexpectedKey = (at: readonly PathKey[], key: string) =>
  parseFailed(`unexpected key "${key}"`, [...at, key])

/** Opens a document; `isDeclared`: whether a plugin declares a slice of that key. */
export function openDocument(wire: unknown, isDeclared: (key: string) => boolean): GivenDocument {
  const given = objectAt(wire, [])
  const formatVersion = readVersion(own(given, 'version'))
  const { version: _, ...parts } = given
  if (formatVersion !== 3) return { formatVersion, parts, wire: given, place: (key) => [key], source: null }
  const { sources, ...others } = parts
  if (sources === undefined) throw withoutSources(given)
  for (const key of sourceKeys) if (Object.hasOwn(others, key)) throw unexpectedKey([], key)
  return { ...openSources(sources, others, isDeclared), wire: given }
}

/** Whether format 3 keeps a part in sources. */
export const isOfSource = (key: string): boolean => sourceKeys.some((each) => each === key) || laterSourceKeys.has(key)

function openSources(
  wire: unknown,
  others: WireObject,
  isDeclared: (key: string) => boolean,
): Omit<GivenDocument, 'wire'> {
  const sources = decode(Type.Array(Type.Unknown()), wire, ['sources'])
  const read = sources.map((source, i) => readSource(source, ['sources', i]))
  const [first, second] = read
  const place = (key: string) => (isOfSource(key) ? ['sources', 0, key] : [key])
  if (!first) return { formatVersion: 3, parts: { ...others, tables: [] }, place, source: null }
  refuseKind(first.kind)
  if (second) {
    const message = `only one source is supported: "${second.name}" differs from "${first.name}"`
    throw badRequest('not-supported', message, { path: ['sources', 1] })
  }
  refuseUnknownKeys(first.given, ['sources', 0])
  const members = Object.entries(first.given)
  const isPart = (key: string) => isOfSource(key) && (isDeclared(key) || key === 'tables')
  const parts = Object.fromEntries(members.filter(([key, value]) => isPart(key) && value !== null))
  const settings = Object.fromEntries(members.filter(([key, value]) => !isPart(key) && value !== null))
  return {
    formatVersion: 3,
    parts: { ...others, ...parts, tables: parts.tables ?? [] },
    place,
    source: { name: first.name, ...settings },
  }
}

const SourceHead = Type.Object({ name: ObjectName, kind: Type.Optional(Type.String()) })

function readSource(wire: unknown, at: readonly PathKey[]) {
  const given = objectAt(wire, at)
  return { given, ...decode(SourceHead, given, at) }
}

function refuseKind(kind = 'postgres'): void {
  if (kind === 'postgres' || kind === 'pg') return
  const message = `only sources of kind "postgres" are supported, encountered "${kind}"`
  throw badRequest('not-supported', message, { path: ['sources', 0, 'kind'] })
}

/** Refuses members that no source of any engine has, and settings that are not objects. */
function refuseUnknownKeys(source: WireObject, at: readonly PathKey[]): void {
  for (const key of Object.keys(source)) {
    if (key !== 'name' && key !== 'kind' && !isOfSource(key)) throw unexpectedKey(at, key)
  }
  objectAt(own(source, 'configuration') ?? {}, [...at, 'configuration'])
}

function objectAt(value: unknown, at: readonly PathKey[]): WireObject {
  if (isJsonObject(value)) return value
  throw parseFailed(`parsing Object failed, expected Object, but encountered ${jsonType(value)}`, at)
}

function readVersion(value: unknown): number {
  if (value === undefined || value === null) return 1
  if (value === 1 || value === 2 || value === 3) return value
  if (jsonType(value) !== 'Number') {
    throw parseFailed(`parsing Int failed, expected Number, but encountered ${jsonType(value)}`, ['version'])
  }
  throw parseFailed(`expected 1, 2 or 3, encountered ${JSON.stringify(value)}`, ['version'])
}

/** Reports a wrong version if the tables stand at the top. */
const withoutSources = (given: WireObject) =>
  own(given, 'tables') === undefined
    ? parseFailed('key "sources" not found')
    : parseFailed('expected 1 or 2, encountered 3', ['version'])
