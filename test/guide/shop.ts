// Fields of another GraphQL server, all those of an operation answered by one request.

import {
  type CallGroup,
  definePlugin,
  type FieldMap,
  fieldMap,
  forwardedRequest,
  graphql,
  type Outgoing,
  type ResolvedPlanner,
  wholeAnswer,
} from 'trellis'

const shopServer = (outgoing: Outgoing, url: string): CallGroup => ({
  async run(calls, isWhole) {
    const body = JSON.stringify(forwardedRequest(calls))
    const response = await outgoing.send({ method: 'POST', url, body, timeout: 5000 })
    if (isWhole) return wholeAnswer(response.body)
    const { data } = JSON.parse(String(response.body))
    return calls.map(({ field }) => data[field.responseName])
  },
})

/** The plugin, for the server at that URL with that schema. */
export default ({ url, schema }: { readonly url: string; readonly schema: string }) =>
  definePlugin({
    name: 'shop',
    dependencies: ['graphql'],
    register(engine) {
      const group = shopServer(engine.outgoing, url)
      const root: ResolvedPlanner = { kind: 'resolved', completed: true, partial: true, group }
      const { fields } = graphql.buildSchema(schema).getQueryType()!.toConfig()
      const made = Object.entries(fields).map(([name, field]) => [name, () => ({ ...field, extensions: { root } })])
      const query = (): FieldMap => fieldMap(Object.fromEntries(made))
      engine.graphql.contribute({ name: 'shop', query })
    },
  })
