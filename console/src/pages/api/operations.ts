// The operations of a GraphQL text, and the code that sends one.

import { serverUrl } from '../../base/facts.ts'
import { parseExactly } from '../../base/json.ts'
import { isObject } from '../../base/objects.ts'
import { type CodeForm, codeOf } from '../../requests/code.ts'
import { shownCredentialHeaders } from '../../requests/credentials.ts'
import { type Identity, identityHeaders } from '../../requests/identity.ts'

/** A request as it is sent. */
export interface GraphqlRequest {
  readonly query: string
  readonly variables?: unknown
  readonly operationName?: string
}

/** A text without its strings and comments, which may have words of operations. */
const withoutTexts = (text: string): string => text.replaceAll(/"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*/g, ' ')

/** The names of the operations of a text. */
export const namesIn = (text: string): readonly string[] =>
  [...withoutTexts(text).matchAll(/\b(?:query|mutation|subscription)\s+([_A-Za-z]\w*)/g)].map(([, name = '']) => name)

/** Whether the operation that is sent is a subscription. */
export function isSubscription({ query, operationName }: GraphqlRequest): boolean {
  const kinds = [...withoutTexts(query).matchAll(/\b(query|mutation|subscription)\b\s*([_A-Za-z]\w*)?/g)]
  const chosen = operationName === undefined ? kinds[0] : kinds.find(([, , name]) => name === operationName)
  return /^\s*(?:query|mutation|subscription|fragment)\b/.test(withoutTexts(query)) && chosen?.[1] === 'subscription'
}

/** The title of a draft: its operation, else its first field. */
export function titleOf(text: string): string {
  const [name] = namesIn(text)
  const title = name ?? /\{\s*([_A-Za-z]\w*)/.exec(withoutTexts(text))?.[1] ?? 'Untitled'
  return title.length > 24 ? `${title.slice(0, 24)}…` : title
}

/** The variables of a text: JSON with an object, or nothing. Throws with the reason otherwise. */
export function variablesIn(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return undefined
  const value = parseExactly(text)
  if (!isObject(value)) throw new Error('variables are an object')
  return value
}

/** The request in the way in which it is sent, as code of a form. */
export const requestCode = (request: GraphqlRequest, as: Identity, form: CodeForm): string =>
  codeOf(
    {
      ...{ server: serverUrl.href, method: 'POST', path: 'v1/graphql', body: JSON.stringify(request) },
      headers: { 'content-type': 'application/json', ...identityHeaders(as), ...shownCredentialHeaders() },
    },
    form,
  ) ?? ''

/** The hook of Apollo Client for each kind of operation. */
const hooks = { query: 'useQuery', mutation: 'useMutation', subscription: 'useSubscription' } as const

/** The request as a hook of Apollo Client. */
export function apolloOf({ query, variables, operationName }: GraphqlRequest): string {
  const kind = /^\s*(mutation|subscription)\b/.exec(withoutTexts(query))?.[1] as 'mutation' | 'subscription' | undefined
  const hook = hooks[kind ?? 'query']
  const name = (operationName ?? 'operation').replaceAll(/[^\w]/g, '')
  const options =
    variables === undefined
      ? ''
      : `, {\n  variables: ${JSON.stringify(variables, null, 2).replaceAll('\n', '\n  ')},\n}`
  const text = query.trim().replaceAll('`', '\\`').replaceAll('${', '\\${').replaceAll('\n', '\n  ')
  const result = kind === 'mutation' ? `const [run, { data, error }]` : 'const { data, error, loading }'
  return [
    `import { gql } from '@apollo/client'`,
    `import { ${hook} } from '@apollo/client/react'`,
    '',
    `const ${name} = gql\``,
    `  ${text}`,
    '`',
    '',
    `${result} = ${hook}(${name}${options})`,
  ].join('\n')
}
