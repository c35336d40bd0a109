// The tool `describe_type`: a type of the role's schema, in the schema language of GraphQL.

import { badRequest, type Session } from '../../sdk/index.ts'
import { documentGate } from '../collections/index.ts'
import { failedAnswer } from '../graphql/index.ts'
import type { McpEngine } from './options.ts'
import { readOnly, runRequest, type Tool, type ToolDescription } from './tool.ts'
import { largestIntrospection, longestNameShown } from './tuning.ts'
import { type IntrospectedType, typeText } from './type-text.ts'

/** Whether a session may ask for the schema, as it may by introspection. */
export const showsSchema = (engine: McpEngine, session: Session): boolean =>
  engine.model.slices.graphql_schema_introspection?.has(session.role) !== true &&
  engine.use(documentGate)(query, session)

/** The tool; null for a role that may not ask for the schema. */
export function describeType(engine: McpEngine, session: Session): Tool | null {
  if (!showsSchema(engine, session)) return null
  return {
    description,
    async run({ name, containing = '' }, call) {
      try {
        if (typeof name !== 'string') throw badRequest('parse-failed', 'name has to be a text', { path: ['name'] })
        if (typeof containing !== 'string') {
          throw badRequest('parse-failed', 'containing has to be a text', { path: ['containing'] })
        }
        const request = { query, operationName: null, variables: { name } }
        const answer = await runRequest(engine, request, call, { time: null, answer: largestIntrospection })
        if (answer.isError) return answer
        const type = JSON.parse(answer.text).data.__type as IntrospectedType | null
        if (type === null) throw noType(name)
        return { text: typeText(type, containing, engine.options.mcpMaxAnswer), isError: false }
      } catch (error) {
        return { text: failedAnswer(engine, error, session), isError: true }
      }
    },
  }
}

const noType = (name: string) =>
  badRequest('not-exists', `there is no type "${name.slice(0, longestNameShown)}" in the schema of the role`)

const description: ToolDescription = {
  name: 'describe_type',
  title: 'Describe a GraphQL type',
  description:
    'Shows a type of the GraphQL schema of your role, with its fields, arguments and values. The fields of queries are those of the type query_root.',
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'the name of the type, such as query_root' },
      containing: { type: 'string', description: 'shows only fields and values whose names contain this text' },
    },
    required: ['name'],
    additionalProperties: false,
  },
  annotations: readOnly,
}

/** Lists of lists are rare, and deeper ones unknown. */
const query = `query ($name: String!) {
  __type(name: $name) {
    kind name description
    interfaces { name }
    possibleTypes { name }
    enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
    inputFields { ...input }
    fields(includeDeprecated: true) {
      name description isDeprecated deprecationReason
      args { ...input }
      type { ...type }
    }
  }
}
fragment input on __InputValue { name description defaultValue type { ...type } }
fragment type on __Type {
  kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } }
}`
