// How names of root fields are generated.

import type { RootFieldKey } from '../document/document.ts'
import { camelCase, uncapitalizedToo, withPrefix, withSuffix } from './casing.ts'

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

/** Text before and after a table's GraphQL name in the name of a root field, as in `update_` and `_many`. */
export type Around = readonly [prefix: string, suffix: string]

/** The name of a root field that is generated from a table's GraphQL name. */
export const nameAround = (base: string, [prefix, suffix]: Around, isCamel: boolean): string =>
  withPrefix(prefix, withSuffix(base, suffix, isCamel), isCamel)

/** The table names from which a name would be generated, by either convention. */
export function basesWithin(name: string, [prefix, suffix]: Around): readonly string[] {
  const plain = within(name, prefix, suffix)
  const camel = within(name, camelCase(prefix), withSuffix('', suffix, true))
  return [...(plain === null ? [] : [plain]), ...(camel === null ? [] : uncapitalizedToo(camel))]
}

function within(name: string, prefix: string, suffix: string): string | null {
  const fits = name.length > prefix.length + suffix.length && name.startsWith(prefix) && name.endsWith(suffix)
  return fits ? name.slice(prefix.length, name.length - suffix.length) : null
}

/** The default name of a root field, generated from the table's GraphQL name. */
export const generatedRootFieldName = (base: string, key: RootFieldKey, isCamel: boolean): string =>
  nameAround(base, patterns[key], isCamel)

/** The table names from which this root field name would be generated. */
export const basesOfRootField = (name: string): string[] => [
  ...new Set(Object.values(patterns).flatMap((pattern) => basesWithin(name, pattern))),
]
