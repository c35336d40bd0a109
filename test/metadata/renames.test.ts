import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDraft, finishDraft } from 'immer'
import { deepFreeze } from '../../core/json/json.ts'
import type { Model } from '../../core/metadata/document/model.ts'
import type { Rename } from '../../core/metadata/document/objects.ts'
import { documentOf, MetadataRegistry } from '../../core/metadata/slices/registry.ts'
import { Renames } from '../../core/metadata/slices/renames.ts'
import type { Slice, TypesOfSlice } from '../../core/metadata/slices/slices.ts'
import tables from '../../plugins/tables/index.ts'
import { tablesSlice } from '../../plugins/tables/metadata.ts'

const named = (name: string) => ({ schema: 'public', name })
const rename = (from: string, to: string): Rename => ({ kind: 'table', from: named(from), to: named(to) })

const model: Model = { resourceVersion: 1, tables: new Map(), slices: {}, inconsistencies: [], dependencies: [] }

test('a rename visits only the entries that contain the old name', () => {
  const asked: string[] = []
  const registry = new MetadataRegistry()
  const slice: Slice<TypesOfSlice<'tables'>> = {
    ...tablesSlice,
    key: 'tables',
    rename(entry, change, place) {
      asked.push(entry.table.name)
      return tablesSlice.rename?.(entry, change, place) ?? entry
    },
  }
  registry.addSlice(slice, tables.name)
  const names = ['a', 'book', 'say "book"', 'bookcase', 'Größe']
  const document = documentOf([['tables', deepFreeze(names.map((name) => ({ table: named(name) })))]])
  const draft = createDraft(document)
  const renames = new Renames(registry, draft, model)
  renames.follow(rename('book', 'volume'))
  assert.deepEqual(asked.splice(0), ['book', 'say "book"', 'bookcase'])
  renames.follow(rename('say "book"', 'a\u0000'))
  renames.follow(rename('a\u0000', 'b'))
  renames.follow(rename('Größe', 'size'))
  assert.deepEqual(asked, ['say "book"', 'a\u0000', 'Größe'])
  const { tables: renamed } = finishDraft(draft)
  assert.deepEqual(
    renamed.map(({ table }) => table.name),
    ['a', 'volume', 'b', 'bookcase', 'size'],
  )
  assert.equal(renamed[0], document.tables[0])
})
