// The tool `run_query`: any query of the role, within limits.

import { type GraphQLOperation, graphql } from '../../sdk/graphql.ts'
import { badRequest, type Session } from '../../sdk/index.ts'
import { isJsonObject } from '../../sdk/services.ts'
import { documentGate } from '../collections/index.ts'
import { failedAnswer } from '../graphql/index.ts'
import { sizeOf } from '../limits/index.ts'
import type { McpEngine } from './options.ts'
import { RowLimits } from './row-limits.ts'
import { readOnly, runRequest, type Tool, type ToolDescription } from './tool.ts'

/** The tool, where an option switches it on; null where the allow-list is in force, which no free query passes. */
export function freeQuery(engine: McpEngine, session: Session): Tool | null {
  if (!engine.options.mcpFreeQueries || !engine.use(documentGate)('{ __typename }', session)) return null
  return {
    description: describe(engine),
    async run(given, call) {
      const { mcpMaxTime: time, mcpMaxAnswer: answer } = engine.options
      try {
        const request = limitedRequest(engine, given, session)
        return await runRequest(engine, request, call, { time, answer })
      } catch (error) {
        return { text: failedAnswer(engine, error, session), isError: true }
      }
    },
  }
}

function describe({ options }: McpEngine): ToolDescription {
  const { mcpMaxDepth, mcpMaxRows, mcpMaxTime, mcpMaxAnswer } = options
  const limits = [
    `at most ${mcpMaxDepth} levels of fields below the root fields`,
    `${mcpMaxRows} rows of each list: longer lists are cut, so set limit and offset yourself to read on`,
    `${mcpMaxTime} seconds`,
    `${mcpMaxAnswer} bytes of the answer`,
  ]
  return {
    name: 'run_query',
    title: 'Run a GraphQL query',
    description: `Runs a GraphQL query with the permissions of your role. Limits: ${limits.join('; ')}.`,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'the GraphQL document' },
        operationName: { type: ['string', 'null'], description: 'the operation, if the document has several' },
        variables: { type: ['object', 'null'], description: 'the values of variables, by name' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    annotations: readOnly,
  }
}

function limitedRequest(engine: McpEngine, given: Readonly<Record<string, unknown>>, session: Session) {
  const { query, operationName = null, variables = null } = given
  if (typeof query !== 'string') throw badRequest('parse-failed', 'query has to be a text', { path: ['query'] })
  if (operationName !== null && typeof operationName !== 'string') {
    throw badRequest('parse-failed', 'operationName has to be a text', { path: ['operationName'] })
  }
  if (variables !== null && !isJsonObject(variables)) {
    throw badRequest('parse-failed', 'variables have to be an object', { path: ['variables'] })
  }
  const operation = engine.graphql.operation({ query, operationName })
  if (operation.kind !== 'query') throw badRequest('not-supported', `a ${operation.kind} is not run here, only queries`)
  const { mcpMaxDepth, mcpMaxRows } = engine.options
  const { depth } = sizeOf(operation)
  if (depth > mcpMaxDepth) throw tooDeep(depth, mcpMaxDepth)
  const schema = engine.graphql.schema(session.role, session.backendOnly)
  const limited = new RowLimits(operation, { most: mcpMaxRows, variables: variables ?? {} }).apply(schema)
  return { query: textOf(limited), operationName, variables }
}

const textOf = ({ node, fragments }: Pick<GraphQLOperation, 'node' | 'fragments'>): string =>
  graphql.print({ kind: graphql.Kind.DOCUMENT, definitions: [node, ...fragments.values()] })

const tooDeep = (depth: number, limit: number) =>
  badRequest('depth-limit-exceeded', `the query is ${depth} levels deep, the depth limit is ${limit}`)
