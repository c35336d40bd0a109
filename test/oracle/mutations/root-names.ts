// The names of mutation fields.

import { displayName, Invalid, type RootKey, type World } from '../world.ts'
import type { MutationRoot } from './mutation.ts'

const rootKeys = {
  insert: 'insert',
  insertOne: 'insert_one',
  update: 'update',
  updateByKey: 'update_by_pk',
  updateMany: 'update_many',
  delete: 'delete',
  deleteByKey: 'delete_by_pk',
} as const satisfies Record<Exclude<MutationRoot['kind'], 'typename'>, RootKey>

/** The key of the root field's configured name. */
export const rootKey = ({ kind }: Exclude<MutationRoot, { kind: 'typename' }>) => rootKeys[kind]

/** The names of mutation fields. */
export function rootName(root: MutationRoot, world: World): string {
  if (root.kind === 'typename') return '__typename'
  const table = world.tables.find(({ id }) => id === root.table)
  if (!table) throw new Invalid(`there is no table ${root.table}`)
  const key = rootKey(root)
  const [verb, suffix] = key.split(/_(.*)/)
  return table.customRoots[key] ?? `${verb}_${displayName(table)}${suffix ? `_${suffix}` : ''}`
}
