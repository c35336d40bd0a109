// Saved queries: an administrator saves GraphQL documents under names. Roles with the permissions ask for them by
// GET /saved/:name, with variables in the URL. A document that the administrator could not ask for is refused. The check
// knows the tables that earlier members of the same bulk track. Saved queries are part of the metadata: exported, replaced,
// seen by all instances.
// `npm start -- --plugin ./examples/saved-queries.ts --enabled-apis metadata,graphql,saved-queries`

import {
  badRequest,
  definePlugin,
  GraphQLName,
  notFound,
  type OperationContext,
  operation,
  type RouteCall,
  type SliceDefinition,
  type Static,
  Type,
} from 'trellis'

const SavedQuery = Type.Object({ name: GraphQLName, query: Type.String(), comment: Type.Optional(Type.String()) })
type SavedQuery = Static<typeof SavedQuery>

declare module 'trellis/registry' {
  interface DocumentSlices {
    saved_queries: SavedQuery[]
  }
  interface ModelSlices {
    saved_queries: ReadonlyMap<string, SavedQuery>
  }
}

const slice: SliceDefinition<'saved_queries'> = {
  schema: Type.Array(SavedQuery),
  empty: [],
  entryKey: ({ name }) => name,
  resolve: (saved) => new Map(saved.map((each) => [each.name, each])),
}

const save = operation({
  type: 'save_query',
  about: { summary: 'Saves a GraphQL document under a name.' },
  args: SavedQuery,
  async handle(context: OperationContext, saved) {
    await validated(context, saved)
    const others = context.metadata.saved_queries.filter(({ name }) => name !== saved.name)
    context.metadata.saved_queries = [...others, saved]
  },
})

/** Refuses a text that is not a GraphQL document, or that the administrator could not ask for. */
async function validated(context: OperationContext, { query }: SavedQuery): Promise<void> {
  try {
    await context.validateDocument(query)
  } catch (error) {
    const { message } = error as Error
    throw badRequest('validation-failed', `the query cannot be saved: ${message}`, { path: ['query'] })
  }
}

const drop = operation({
  type: 'drop_saved_query',
  about: { summary: 'Forgets a saved document.' },
  args: Type.Object({ name: GraphQLName }),
  handle({ metadata }, { name }) {
    const kept = metadata.saved_queries.filter((each) => each.name !== name)
    if (kept.length === metadata.saved_queries.length) {
      throw badRequest('not-exists', `there is no saved query "${name}"`, { path: ['name'] })
    }
    metadata.saved_queries = kept
  },
})

/** Values in a URL are JSON, or else the text itself. */
const parsed = (text: unknown): unknown => {
  try {
    return JSON.parse(String(text))
  } catch {
    return text
  }
}

export default definePlugin({
  name: 'saved-queries',
  api: 'saved-queries',
  dependencies: ['graphql'],
  register(engine) {
    engine.metadata.slice('saved_queries', slice)
    engine.operations.add(save, drop)
    engine.routes.add({
      method: 'GET',
      url: '/saved/:name',
      auth: 'session',
      about: { summary: 'Answers a saved query.' },
      handle({ session, request }: RouteCall) {
        const { name = '' } = request.params
        const saved = engine.model.slices.saved_queries?.get(name)
        if (!saved) throw notFound(`there is no saved query "${name}"`)
        const given = Object.entries(request.query)
        const variables = Object.fromEntries(given.map(([key, text]) => [key, parsed(text)]))
        const asked = { query: saved.query, operationName: null, variables }
        return engine.graphql.execute(asked, session, { headers: request.headers })
      },
    })
  },
})
