// How names of root fields are generated.

import type { RootFieldKey } from '../document/document.ts'
import { camelCase, pascalCase, uncapitalizedToo, withPrefix, withSuffix } from './casing.ts'

/** Prefix and suffix around a table's GraphQL name. */
const patterns: Readonly<Record<RootFieldKey, readonly [prefix: string, suffix: string]>> = {
  select: ['', ''],
  select_by_pk: ['', '_by_pk'],
  select_aggregate: ['', '_aggregate'],
  insert: ['insert_', ''],
  insert_one: ['insert_', '_one'],
  update: ['update_', ''],
  update_by_pk: ['update_', '_by_pk'],
  delete: ['delete_', ''],
  delete_by_pk: ['delete_', '_by_pk'],
}

/** The default name of a root field, generated from the table's GraphQL name. */
export function generatedRootFieldName(base: string, key: RootFieldKey, isCamel: boolean): string {
  const [prefix, suffix] = patterns[key]
  return withPrefix(prefix, withSuffix(base, suffix, isCamel), isCamel)
}

/** The table names from which this root field name would be generated, by either convention. */
export function basesOfRootField(name: string): string[] {
  const plain = basesAmong(name, Object.values(patterns))
  const camel = basesAmong(name, camelPatterns).flatMap(uncapitalizedToo)
  return [...new Set([...plain, ...camel])]
}

/** The names to which this suffix was added, by either convention. */
export function basesOfSuffixed(name: string, suffix: string): string[] {
  return basesAmong(name, [
    ['', suffix],
    ['', pascalCase(suffix.replace(/^_/, ''))],
  ])
}

const camelPatterns = Object.values(patterns).map(
  ([prefix, suffix]) => [camelCase(prefix), pascalCase(suffix.replace(/^_/, ''))] as const,
)

function basesAmong(name: string, among: readonly (readonly [prefix: string, suffix: string])[]): string[] {
  const fits = among.filter(([prefix, suffix]) => name.startsWith(prefix) && name.endsWith(suffix))
  return fits.map(([prefix, suffix]) => name.slice(prefix.length, name.length - suffix.length))
}
