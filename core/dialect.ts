// The names on the wire. Nothing else in the code base spells a prefix.

export interface Dialect {
  readonly name: 'trellis' | 'hasura'
  /** Prefix of session variables and of the server's own headers, lower case. */
  readonly sessionPrefix: string
  readonly roleVariable: string
  readonly userIdVariable: string
  readonly adminSecretHeader: string
  readonly accessKeyHeader: string
  readonly backendOnlyVariable: string
  /** Prefix of the environment variables that configure the server. */
  readonly environmentPrefix: string
  /** Key of the join columns in a remote relationship. */
  readonly remoteJoinFields: string
  /** PostgreSQL settings that carry the session and the trace into triggers. */
  readonly userSetting: string
  readonly traceSetting: string
  /** What a text that names the product says. */
  readonly productName: string
}

function dialect(name: Dialect['name'], word: string): Dialect {
  const prefix = `x-${word}-`
  return {
    name,
    sessionPrefix: prefix,
    roleVariable: `${prefix}role`,
    userIdVariable: `${prefix}user-id`,
    adminSecretHeader: `${prefix}admin-secret`,
    accessKeyHeader: `${prefix}access-key`,
    backendOnlyVariable: `${prefix}use-backend-only-permissions`,
    environmentPrefix: `${word.toUpperCase()}_GRAPHQL_`,
    remoteJoinFields: `${word}_fields`,
    userSetting: `${word}.user`,
    traceSetting: `${word}.tracecontext`,
    productName: word === 'service' ? 'Trellis' : 'hasura',
  }
}

/** The two name sets: Trellis' own neutral one, and the one that existing v1.3 projects use. */
export const dialects = {
  trellis: dialect('trellis', 'service'),
  hasura: dialect('hasura', 'hasura'),
} as const satisfies Record<string, Dialect>

/** Whether a JSON string in a permission stands for a session variable, and which (lower case), else null. */
export function sessionVariableName(names: Dialect, text: string): string | null {
  const lower = text.toLowerCase()
  if (lower === 'req_user_id') return names.userIdVariable
  return lower.startsWith(names.sessionPrefix) ? lower : null
}
