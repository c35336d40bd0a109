// A bare GraphQL server for the measurement of stitching: `people`, `orders`, or `gateway PEOPLE_URL ORDERS_URL`, which
// stitches both with the same library. It sends its port to the process that started it.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { stitchSchemas } from '@graphql-tools/stitch'
import { type DocumentNode, execute, type GraphQLSchema, parse, print, validate } from 'graphql'
import { Pool } from 'undici'
import { ordersRoot, ordersSchema, peopleRoot, peopleSchema } from './stitching-schemas.ts'

interface Request {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}

function executorTo(url: string) {
  const { origin, pathname: path } = new URL(url)
  const pool = new Pool(origin, { connections: 32 })
  const headers = { 'content-type': 'application/json' }
  return async ({ document, variables }: { document: DocumentNode; variables?: unknown }) => {
    const body = JSON.stringify({ query: print(document), variables })
    return (await (await pool.request({ path, method: 'POST', headers, body })).body.json()) as object
  }
}

const merged = (schema: GraphQLSchema, url: string, fieldName: string) => ({
  ...{ schema, executor: executorTo(url) as never, batch: true },
  merge: {
    User: {
      ...{ selectionSet: '{ id }', fieldName },
      key: ({ id }: { id: string }) => id,
      argsFromKeys: (ids: readonly unknown[]) => ({ ids }),
    },
  },
})

const [role = '', peopleUrl = '', ordersUrl = ''] = process.argv.slice(2)

function served(): { readonly schema: GraphQLSchema; readonly rootValue?: object } {
  if (role === 'people') return { schema: peopleSchema, rootValue: peopleRoot }
  if (role === 'orders') return { schema: ordersSchema, rootValue: ordersRoot }
  const subschemas = [merged(peopleSchema, peopleUrl, 'usersByIds'), merged(ordersSchema, ordersUrl, 'usersOf')]
  return { schema: stitchSchemas({ subschemas }) }
}

const { schema, rootValue } = served()
const documents = new Map<string, DocumentNode>()

function documentOf(query: string): DocumentNode {
  let document = documents.get(query)
  if (!document) {
    document = parse(query)
    const [fault] = validate(schema, document)
    if (fault) throw fault
    documents.set(query, document)
  }
  return document
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { query, variables }: Request = JSON.parse(Buffer.concat(chunks).toString())
  const result = await execute({
    schema,
    document: documentOf(query),
    rootValue,
    variableValues: variables,
    contextValue: {},
  })
  const body = Buffer.from(JSON.stringify(result))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.once('disconnect', () => process.exit())
