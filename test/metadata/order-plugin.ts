// Test plugins whose parts of the metadata use each other's results.

import { Type } from '@sinclair/typebox'
import { definePlugin } from '../../core/engine/plugin.ts'
import type { ObjectRef } from '../../core/metadata/document/objects.ts'
import type { Facet, SliceDefinition } from '../../core/metadata/slices/slices.ts'
import { type QualifiedName, sameName } from '../../core/names/names.ts'
import { operation } from '../../core/operations/operation.ts'
import { ObjectName, TableName } from '../../core/wire/types.ts'

const Shape = Type.Object({ name: ObjectName, types: Type.Array(Type.String()) })
const Use = Type.Object({ name: ObjectName, shape: Type.String() })
const Note = Type.Object({ table: TableName, columns: Type.Array(Type.String()) })

interface Shape {
  name: string
  types: string[]
}

interface Use {
  name: string
  shape: string
}

interface Note {
  table: QualifiedName
  columns: string[]
}

declare module '../../sdk/registry.ts' {
  interface DocumentSlices {
    test_shapes: Shape[]
    test_uses: Use[]
    test_notes: Note[]
  }
  interface TableFacets {
    test_shaped?: Use[]
  }
  interface ModelSlices {
    test_shapes: ReadonlyMap<string, number>
    test_uses: ReadonlyMap<string, number>
  }
}

const shapeRef = ({ name }: Shape): ObjectRef => ({ kind: 'shape', name })

type ShapesSlice = SliceDefinition<'test_shapes'>

/** Shapes claim type names; their result is the number of names. */
export const shapesPlugin = (changes: Partial<Pick<ShapesSlice, 'after' | 'before'>> = { before: 'fields' }) =>
  definePlugin({
    name: 'shapes',
    register({ metadata, operations }) {
      metadata.slice('test_shapes', {
        schema: Type.Array(Shape),
        empty: [],
        entryKey: ({ name }: Shape) => name,
        resolve(shapes, context) {
          const served = shapes.filter((shape) =>
            context.claimTypeNames({ ref: shapeRef(shape), type: 'shape', definition: shape }, shape.types),
          )
          return new Map(served.map(({ name, types }) => [name, types.length]))
        },
        ...changes,
      })
      const setShape = operation({
        type: 'test_set_shape',
        args: Shape,
        check: 'object',
        object: shapeRef,
        handle({ metadata: draft }, shape) {
          const rest = draft.test_shapes.filter(({ name }) => name !== shape.name)
          draft.test_shapes = [...rest, shape]
        },
      })
      operations.add(setShape)
    },
  })

/** A slice and a facet that read shapes; `resolved` is called for each resolved one. */
export const usesPlugin = (
  resolved: (what: string) => void = () => {},
  changes: Pick<Facet<Use, number>, 'after'> = {},
) =>
  definePlugin({
    name: 'uses',
    register({ metadata }) {
      // In document order it comes before shapes; only its declaration puts it after them.
      metadata.slice('test_uses', {
        schema: Type.Array(Use),
        empty: [],
        entryKey: ({ name }: Use) => name,
        after: ['test_shapes'],
        resolve(uses, context) {
          resolved('uses')
          const shapes = context.resolved('test_shapes')
          return new Map(uses.map(({ name, shape }) => [name, shapes?.get(shape) ?? 0]))
        },
      })
      metadata.facet<'test_shaped', number>({
        key: 'test_shaped',
        stage: 'fields',
        after: ['test_shapes'],
        schema: Use,
        duplicates: { kind: 'uses', name: ({ name }) => name },
        identify: ({ name }) => name,
        describe: (table, use) => ({ ref: { kind: 'use', table, name: use.name }, type: 'use', definition: use }),
        resolve({ shape, name }, table, context) {
          resolved(`${table.name.name}.${name}`)
          const types = context.resolved('test_shapes')?.get(shape)
          if (types === undefined) throw new Error(`there is no shape "${shape}"`)
          return types
        },
        ...changes,
      })
    },
  })

/** A slice that names columns of tables and follows their renames. */
export const notesPlugin = definePlugin({
  name: 'notes',
  register({ metadata }) {
    metadata.slice('test_notes', {
      schema: Type.Array(Note),
      empty: [],
      entryKey: ({ table }: Note) => table.name,
      rename(note: Note, rename) {
        if (rename.kind === 'table') return sameName(note.table, rename.from) ? { ...note, table: rename.to } : note
        if (!sameName(note.table, rename.table)) return note
        return { ...note, columns: note.columns.map((column) => (column === rename.from ? rename.to : column)) }
      },
    })
  },
})
