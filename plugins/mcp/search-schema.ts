// The tool `search_schema`: types and fields of the role's schema whose names or descriptions contain a text.

import { parseJsonInTurns } from '../../sdk/http.ts'
import { badRequest, type Session } from '../../sdk/index.ts'
import { failedAnswer } from '../graphql/index.ts'
import { showsSchema } from './describe-type.ts'
import type { McpEngine } from './options.ts'
import { readOnly, runRequest, type Tool, type ToolDescription } from './tool.ts'
import { largestIntrospection, longestSearch, mostFound, usuallyFound } from './tuning.ts'
import { type TypeName, typeName } from './type-text.ts'

/** The tool; null for a role that may not ask for the schema. */
export function searchSchema(engine: McpEngine, session: Session): Tool | null {
  if (!showsSchema(engine, session)) return null
  return {
    description,
    async run(given, call) {
      try {
        const { text, limit } = readArguments(given)
        const request = { query, operationName: null, variables: null }
        const answer = await runRequest(engine, request, call, { time: null, answer: largestIntrospection })
        if (answer.isError) return answer
        const { data } = (await parseJsonInTurns(Buffer.from(answer.text))) as Introspected
        return { text: found(data.__schema.types, text.toLowerCase(), limit), isError: false }
      } catch (error) {
        return { text: failedAnswer(engine, error, session), isError: true }
      }
    },
  }
}

function readArguments({ text, limit = usuallyFound }: Readonly<Record<string, unknown>>) {
  if (typeof text !== 'string' || text === '' || text.length > longestSearch) {
    throw badRequest('parse-failed', `text has to be a text of 1 to ${longestSearch} characters`, { path: ['text'] })
  }
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > mostFound) {
    throw badRequest('parse-failed', `limit has to be an integer from 1 to ${mostFound}`, { path: ['limit'] })
  }
  return { text, limit }
}

interface Described {
  readonly name: string
  readonly description: string | null
}

interface Type extends Described {
  readonly kind: string
  readonly fields: readonly (Described & { readonly type: TypeName })[] | null
  readonly inputFields: readonly (Described & { readonly type: TypeName })[] | null
  readonly enumValues: readonly Described[] | null
}

interface Introspected {
  readonly data: { readonly __schema: { readonly types: readonly Type[] } }
}

/** How well something matches, the best first; null: not at all. */
function rankOf({ name, description }: Described, text: string): number | null {
  const lower = name.toLowerCase()
  if (lower === text) return 0
  if (lower.startsWith(text)) return 1
  if (lower.includes(text)) return 2
  return description?.toLowerCase().includes(text) ? 3 : null
}

/** A line for each match: `book: object`, `book.title: String!`. */
function found(types: readonly Type[], text: string, limit: number): string {
  const matches: { readonly rank: number; readonly line: string }[] = []
  const look = (each: Described, path: string, type: string) => {
    const rank = rankOf(each, text)
    if (rank !== null) matches.push({ rank, line: `${path}${type}${commentOf(each)}` })
  }
  for (const type of types) {
    if (type.name.startsWith('__')) continue
    look(type, type.name, `: ${type.kind.toLowerCase().replaceAll('_', ' ')}`)
    for (const field of [...(type.fields ?? []), ...(type.inputFields ?? [])]) {
      look(field, `${type.name}.${field.name}`, `: ${typeName(field.type)}`)
    }
    for (const value of type.enumValues ?? []) look(value, `${type.name}.${value.name}`, '')
  }
  if (matches.length === 0) return '# nothing has this text in its name or description'
  const lines = matches.sort((a, b) => a.rank - b.rank || a.line.length - b.line.length).map(({ line }) => line)
  const more = lines.length - limit
  return [
    ...lines.slice(0, limit),
    ...(more > 0 ? [`# ${more} more: give a longer text, or a higher limit`] : []),
  ].join('\n')
}

const commentOf = ({ description: text }: Described): string => (text ? ` # ${text.replaceAll(/\s+/g, ' ')}` : '')

const description: ToolDescription = {
  name: 'search_schema',
  title: 'Search the GraphQL schema',
  description:
    'Finds types and fields in the GraphQL schema of your role by a part of their names or descriptions. describe_type shows more of a type.',
  inputSchema: {
    type: 'object',
    properties: {
      text: { type: 'string', minLength: 1, maxLength: longestSearch, description: 'a part of a name or description' },
      limit: { type: 'integer', minimum: 1, maximum: mostFound, default: usuallyFound },
    },
    required: ['text'],
    additionalProperties: false,
  },
  annotations: readOnly,
}

const query = `{
  __schema {
    types {
      kind name description
      fields { name description type { ...type } }
      inputFields { name description type { ...type } }
      enumValues { name description }
    }
  }
}
fragment type on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }`
