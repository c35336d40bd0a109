// The limit: a bare node:http server. It reads the body, runs one hand-written prepared statement, and writes the bytes
// that PostgreSQL returns. Started as a separate process: `limit-server.ts pool|pipelined DATABASE_URL`; the path of a
// request is the name of a workload.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { allWorkloads } from './later-workloads.ts'
import type { GraphQLRequest } from './workloads.ts'

const poolSize = 16
const pipelinedConnections = 3

type Query = (query: pg.QueryConfig) => Promise<pg.QueryResult<{ answer: Buffer }>>

/** As many connections as there are concurrent requests. */
function poolQuery(connectionString: string): Query {
  const pool = new pg.Pool({ connectionString, max: poolSize, idleTimeoutMillis: 0 })
  return (query) => pool.query(query)
}

/** Few connections, each of which gets queries without waiting for the earlier answers. */
async function pipelinedQuery(connectionString: string): Promise<Query> {
  const options = { connectionString, pipeline: true } as pg.ClientConfig
  const clients = Array.from({ length: pipelinedConnections }, () => new pg.Client(options))
  await Promise.all(clients.map((client) => client.connect()))
  let turn = 0
  return (query) => clients[turn++ % pipelinedConnections]!.query(query)
}

/** Passes the bytes on as they arrive. */
const rawTypes = { getTypeParser: () => (value: unknown) => value }

const statements = new Map(
  allWorkloads.map(({ name, limit }) => {
    const query = { name, text: limit.text, binary: true, types: rawTypes } as pg.QueryConfig
    return [`/${name}`, { query, limit }]
  }),
)

function readBody(request: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => done(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
}

async function answer(request: IncomingMessage, body: Buffer, response: ServerResponse, run: Query): Promise<void> {
  const { variables } = JSON.parse(body.toString()) as GraphQLRequest
  const { query, limit } = statements.get(request.url ?? '')!
  const values = limit.parameters.map((name) => parameter(variables[name] ?? request.headers[name]))
  const field = limit.field && String(request.headers[limit.field])
  const statement = field === undefined ? query : { ...query, name: '', text: query.text.replace('{field}', field) }
  const { rows } = await run({ ...statement, values })
  const bytes = rows[0]!.answer
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length })
  response.end(bytes)
}

const parameter = (value: unknown): unknown => (typeof value === 'object' ? JSON.stringify(value) : value)

async function main([variant, databaseUrl = '']: readonly string[]): Promise<void> {
  const run = variant === 'pipelined' ? await pipelinedQuery(databaseUrl) : poolQuery(databaseUrl)
  const server = createServer((request, response) => {
    readBody(request, (body) => {
      answer(request, body, response, run).catch((error: Error) => {
        response.statusCode = 500
        response.end(error.message)
      })
    })
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.on('disconnect', () => process.exit())
}

await main(process.argv.slice(2))
