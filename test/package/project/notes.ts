import { definePlugin, Type } from 'trellis'
import { graphql } from 'trellis/graphql'
import { operation } from 'trellis/metadata'

declare module 'trellis/registry' {
  interface DocumentSlices {
    notes: { name: string; text: string }[]
  }
  interface ModelSlices {
    notes: readonly string[]
  }
}

const addNote = operation({
  type: 'add_note',
  about: { summary: 'Adds a note.' },
  args: Type.Object({ name: Type.String(), text: Type.String() }),
  handle({ metadata }, { name, text }) {
    metadata.notes.push({ name, text })
  },
})

export default definePlugin({
  name: 'notes',
  register(engine) {
    const { operations, metadata, routes } = engine
    operations.add(addNote)
    metadata.slice('notes', {
      schema: Type.Array(Type.Object({ name: Type.String(), text: Type.String() })),
      empty: [],
      entryKey: ({ name }) => name,
      resolve: (notes) => notes.map(({ text }) => text),
    })
    engine.graphql.contribute({
      name: 'notes',
      query: ({ model }) =>
        new Map([
          [
            'notes',
            () => ({
              type: new graphql.GraphQLList(graphql.GraphQLString),
              extensions: { root: { kind: 'resolved', completed: true, resolve: () => model.slices.notes ?? [] } },
            }),
          ],
        ]),
    })
    routes.add({ method: 'GET', url: '/notes', auth: 'session', handle: () => engine.model.slices.notes })
  },
})
