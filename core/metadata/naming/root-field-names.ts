// How names of root fields are generated.

import type { RootFieldKey } from '../document/document.ts'

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
export function generatedRootFieldName(base: string, key: RootFieldKey): string {
  const [prefix, suffix] = patterns[key]
  return `${prefix}${base}${suffix}`
}

/** The table names from which this root field name would be generated. */
export function basesOfRootField(name: string): string[] {
  const fits = Object.values(patterns).filter(([prefix, suffix]) => name.startsWith(prefix) && name.endsWith(suffix))
  return fits.map(([prefix, suffix]) => name.slice(prefix.length, name.length - suffix.length))
}
