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
  /** What tokens call the roles that their bearer may assume, and the one that is assumed unless another is asked for. */
  readonly allowedRolesClaim: string
  readonly defaultRoleClaim: string
  /** Prefix of the environment variables that configure the server. */
  readonly environmentPrefix: string
  /** Key of the join columns in a remote relationship. */
  readonly remoteJoinFields: string
  /** PostgreSQL settings that carry the session and the trace into triggers. */
  readonly userSetting: string
  readonly traceSetting: string
  /** What a text that names the product says. */
  readonly productName: string
  /** The product in the `User-Agent` of outgoing requests. */
  readonly userAgent: string
  /** How many redirects an outgoing request follows. */
  readonly redirects: number
  /** Where tokens have their claims unless it is configured: tokens in use carry this name whatever the dialect. */
  readonly claimsNamespace: string
  /**
   * Whether v1.3's gaps in checking tokens are closed: a configured audience must be in the token, a key set's keys are
   * held to the `kid` of the token and to the configured `type`, and unknown keys of the configuration are refused.
   */
  readonly strictTokens: boolean
  /** Whether a null in a boolean expression makes that part of it true, as in v1.3; else it is refused. */
  readonly nullsHold: boolean
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
    allowedRolesClaim: `${prefix}allowed-roles`,
    defaultRoleClaim: `${prefix}default-role`,
    environmentPrefix: `${word.toUpperCase()}_GRAPHQL_`,
    remoteJoinFields: `${word}_fields`,
    userSetting: `${word}.user`,
    traceSetting: `${word}.tracecontext`,
    productName: word === 'service' ? 'Trellis' : 'hasura',
    userAgent: word === 'service' ? 'trellis' : 'hasura-graphql-engine',
    redirects: word === 'service' ? 0 : 10,
    claimsNamespace: 'https://hasura.io/jwt/claims',
    strictTokens: word === 'service',
    nullsHold: word === 'hasura',
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
