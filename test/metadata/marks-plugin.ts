// A test plugin with one of each: a list slice, a value slice, a facet that only counts, and an effect.

import { Type } from '@sinclair/typebox'
import { definePlugin } from '../../core/engine/plugin.ts'
import { badRequest } from '../../core/errors/errors.ts'
import { objectKey } from '../../core/metadata/document/objects.ts'
import type { ObjectDescription } from '../../core/metadata/slices/slices.ts'
import { nameText, type QualifiedName } from '../../core/names/names.ts'
import { operation } from '../../core/operations/operation.ts'
import { ObjectName, TableName } from '../../core/wire/types.ts'

const Sticker = Type.Object({ name: ObjectName, table: TableName, text: Type.Unknown() })
const Mark = Type.Object({ name: ObjectName, sees: Type.Optional(TableName) })

interface StickerEntry {
  name: string
  table: QualifiedName
  text: unknown
}

interface MarkEntry {
  name: string
  sees?: QualifiedName
}

declare module '../../sdk/registry.ts' {
  interface DocumentSlices {
    test_stickers: StickerEntry[]
    test_motto: { text: string }
  }
  interface TableFacets {
    test_marks?: MarkEntry[]
  }
}

declare module '../../sdk/registry.ts' {
  interface ModelSlices {
    test_stickers: ReadonlyMap<string, unknown>
  }
}

const describeSticker = ({ name, table }: StickerEntry): ObjectDescription => ({
  ref: { kind: 'sticker', name },
  type: 'sticker',
  definition: { name, table },
})

/** The number of times that each mark and sticker was resolved. */
export interface Counts {
  readonly resolved: Map<string, number>
}

export const addSticker = operation({
  type: 'test_add_sticker',
  args: Sticker,
  check: 'object',
  object: ({ name }) => ({ kind: 'sticker', name }),
  handle({ metadata }, sticker) {
    metadata.test_stickers.push(sticker)
  },
})

export const addMark = operation({
  type: 'test_add_mark',
  args: Type.Object({ table: TableName, mark: Mark }),
  check: 'object',
  object: ({ table, mark }) => ({ kind: 'mark', table, name: mark.name }),
  handle({ metadata }, { table, mark }) {
    const entry = metadata.tables.find((each) => each.table.name === table.name)
    if (!entry) throw badRequest('not-exists', 'no such table', { path: ['table'] })
    entry.test_marks = [...(entry.test_marks ?? []), mark]
  },
})

export const setMotto = operation({
  type: 'test_set_motto',
  args: Type.Object({ text: Type.String() }),
  handle({ metadata }, motto) {
    metadata.test_motto = motto
  },
})

export const marksPlugin = ({ resolved }: Counts = { resolved: new Map() }) => {
  const count = (what: string) => resolved.set(what, (resolved.get(what) ?? 0) + 1)
  return definePlugin({
    name: 'marks',
    register({ metadata, operations }) {
      metadata.slice('test_stickers', {
        schema: Type.Array(Sticker),
        empty: [],
        entryKey: ({ name }: StickerEntry) => name,
        resolve(stickers, context) {
          const served = stickers.filter((sticker) => {
            count(`sticker ${sticker.name}`)
            const table = context.table(sticker.table)
            if (!table) context.report(describeSticker(sticker), `table "${nameText(sticker.table)}" is not tracked`)
            else context.depend(describeSticker(sticker).ref, { kind: 'table', table: sticker.table }, 'table')
            return table !== undefined
          })
          return new Map(served.map(({ name, text }) => [name, text]))
        },
        remove(draft, object) {
          const index = draft.test_stickers.findIndex(
            (each) => objectKey(describeSticker(each).ref) === objectKey(object),
          )
          if (index >= 0) draft.test_stickers.splice(index, 1)
          return index >= 0
        },
      })
      metadata.slice('test_motto', { schema: Type.Object({ text: Type.String() }), empty: { text: '' } })
      metadata.facet<'test_marks', string>({
        key: 'test_marks',
        stage: 'rules',
        schema: Mark,
        duplicates: { kind: 'marks', name: ({ name }) => name },
        identify: ({ name }) => name,
        describe: (table, mark) => ({
          ref: { kind: 'mark', table, name: mark.name },
          type: 'mark',
          definition: { table, ...mark },
        }),
        resolve({ name, sees }, table, context) {
          count(`mark ${table.name.name}.${name}`)
          if (name === 'bad') throw badRequest('constraint-violation', 'a bad mark')
          if (sees && !context.table(sees)) throw badRequest('not-exists', `table "${nameText(sees)}" is not tracked`)
          if (sees) context.depend({ kind: 'table', table: sees }, 'remote_table')
          return name
        },
      })
      operations.add(addSticker, addMark, setMotto)
    },
  })
}
