// A second GraphQL server, and a plugin whose fields it answers.

import type { TestContext } from 'node:test'
import { buildSchema, type GraphQLFieldConfigMap, graphqlSync } from 'graphql'
import {
  answered,
  type CallGroup,
  definePlugin,
  forwardedRequest,
  type Plugin,
  type RootFields,
  wholeAnswer,
} from '../../sdk/index.ts'
import { type OtherServer, startOther } from '../auth/other-server.ts'

/** A GraphQL server with this schema; its resolvers are functions of the root value. */
export function startRemote(t: TestContext, text: string, rootValue: Record<string, unknown>): Promise<OtherServer> {
  const schema = buildSchema(text)
  return startOther(t, ({ body }) => {
    const { query, variables } = JSON.parse(body)
    const result = graphqlSync({ schema, source: query, rootValue, variableValues: variables })
    return { headers: { 'set-cookie': 'seen=1' }, body: result }
  })
}

export interface RemoteOptions {
  readonly name: string
  readonly url: string
  readonly text: string
  /** Whether its errors make the whole answer fail. */
  readonly endsAnswer?: boolean
}

interface RemoteResult {
  readonly data?: Record<string, unknown> | null
  readonly errors?: readonly { readonly message: string; readonly path?: readonly (string | number)[] }[]
}

/** The fields of a schema; one request fetches all fields of an operation. */
export const remotePlugin = ({ name, url, text, endsAnswer }: RemoteOptions): Plugin =>
  definePlugin({
    name,
    dependencies: ['tables'],
    register(engine) {
      const group: CallGroup = {
        async run(calls, isWhole) {
          const headers = { 'content-type': 'application/json' }
          const requestBody = JSON.stringify(forwardedRequest(calls))
          const response = await engine.outgoing.send({
            method: 'POST',
            url,
            headers,
            body: requestBody,
            timeout: 5000,
          })
          const cookies = { 'set-cookie': response.headers['set-cookie'] ?? [] }
          if (isWhole) return wholeAnswer(response.body, cookies)
          const { data, errors = [] }: RemoteResult = JSON.parse(String(response.body))
          if (endsAnswer && errors.length > 0)
            return calls.map((_, i) => answered(null, { errors: i ? [] : errors, endsAnswer }))
          return calls.map(({ field: { responseName } }, i) => {
            const own = errors.filter(({ path = [] }) => path[0] === responseName)
            const located = own.map((error) => ({ ...error, path: error.path?.slice(1) ?? [] }))
            return answered(data?.[responseName], { errors: located, ...(i === 0 && { headers: cookies }) })
          })
        },
      }
      const schema = buildSchema(text)
      const fieldsOf = (configs: GraphQLFieldConfigMap<unknown, unknown> = {}): RootFields => {
        const root = { kind: 'resolved', completed: true, partial: true, group } as const
        return new Map(
          Object.entries(configs).map(([key, config]) => [key, () => ({ ...config, extensions: { root } })]),
        )
      }
      const query = fieldsOf(schema.getQueryType()?.toConfig().fields)
      const mutation = fieldsOf(schema.getMutationType()?.toConfig().fields)
      engine.graphql.contribute({ name, query: () => query, mutation: () => mutation })
    },
  })
