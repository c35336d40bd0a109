// The whole of it: an operation, a part of the metadata, a GraphQL field.

import {
  badRequest,
  definePlugin,
  type FieldMap,
  fieldMap,
  graphql,
  operation,
  option,
  type SchemaScope,
  type SliceDefinition,
  type Static,
  Type,
} from 'trellis'

const members = { name: Type.String({ minLength: 1 }), meaning: Type.String() }
const Term = Type.Object(members, { additionalProperties: false })
type Term = Static<typeof Term>

declare module 'trellis/registry' {
  interface DocumentSlices {
    glossary: Term[]
  }
  interface ModelSlices {
    glossary: ReadonlyMap<string, string>
  }
}

const slice: SliceDefinition<'glossary'> = {
  schema: Type.Array(Term),
  empty: [],
  entryKey: ({ name }) => name,
  resolve: (terms) => new Map(terms.map(({ name, meaning }) => [name, meaning])),
}

const defineTerm = operation({
  type: 'define_term',
  args: Term,
  handle({ metadata }, term) {
    const isTaken = metadata.glossary.some(({ name }) => name === term.name)
    if (isTaken) throw badRequest('already-exists', `"${term.name}" is defined already`, { path: ['name'] })
    metadata.glossary.push(term)
  },
})

const { GraphQLNonNull, GraphQLString } = graphql

const meaningField = ({ model }: SchemaScope): FieldMap =>
  fieldMap({
    meaning: () => ({
      type: GraphQLString,
      args: { of: { type: new GraphQLNonNull(GraphQLString) } },
      extensions: {
        root: { kind: 'resolved', resolve: ({ args }) => model.slices.glossary?.get(String(args.of)) ?? null },
      },
    }),
  })

export default definePlugin({
  name: 'glossary',
  dependencies: ['graphql'],
  options: {
    glossaryTitle: option.textWithDefault('Glossary', {
      flag: 'glossary-title',
      variable: 'GLOSSARY_TITLE',
      description: 'what the glossary is called',
    }),
  },
  register(engine) {
    const { glossaryTitle: title } = engine.options
    const handle = () => ({ title, terms: Object.fromEntries(engine.model.slices.glossary ?? []) })
    engine.routes.add({ method: 'GET', url: '/glossary', auth: 'session', handle })
    engine.metadata.slice('glossary', slice)
    engine.operations.add(defineTerm)
    engine.graphql.contribute({ name: 'glossary', query: meaningField })
  },
})
