// Relationships that are saved on top of those that somebody else created meanwhile.

import { canonical, isObject } from '../../../base/objects.ts'
import type { GivenTable } from '../../../server/names.ts'
import type { Operation } from '../../../server/operations.ts'
import { entryOf, type Metadata } from '../../../server/queries.ts'
import { remoteEntries } from './relationships.ts'

interface Named {
  readonly table: GivenTable
  readonly name: string
  readonly using?: unknown
}

/** An operation that creates a relationship. */
interface Creation extends Operation {
  readonly args: Named
}

/** The remote relationship of a document with that name. */
export function remoteOf(metadata: Metadata, { table, name }: Named): unknown {
  const entry = entryOf(metadata, table)
  return entry && remoteEntries(entry).find((each) => each.name === name)
}

/** Creates a relationship. `over` has metadata whose relationship of the same name goes first; null: it is refused then. */
export function replacing(creation: Creation, over: Metadata | null): readonly Operation[] {
  const { table, name, using } = creation.args
  const entry = over === null ? undefined : entryOf(over, table)
  if (over === null || !entry) return [creation]
  const kinds = { create_object_relationship: 'object_relationships', create_array_relationship: 'array_relationships' }
  const isSame = Object.entries(kinds).some(
    ([type, member]) =>
      creation.type === type &&
      relationshipsIn(entry[member]).some((each) => each.name === name && canonical(each.using) === canonical(using)),
  )
  if (isSame) return []
  const plain = [...relationshipsIn(entry.object_relationships), ...relationshipsIn(entry.array_relationships)]
  if (plain.some((each) => each.name === name)) {
    return [{ type: 'drop_relationship', args: { table, relationship: name } }, creation]
  }
  const isRemote = remoteOf(over, creation.args) !== undefined
  return [...(isRemote ? [{ type: 'delete_remote_relationship', args: { table, name } }] : []), creation]
}

const relationshipsIn = (list: unknown): readonly { readonly name?: unknown; readonly using?: unknown }[] =>
  Array.isArray(list) ? list.filter(isObject) : []
