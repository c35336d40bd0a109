// The names in the API, and the differences in behaviour, of each dialect. No other file spells a prefix.

/** The names and rules in which the two dialects differ. */
export interface Dialect {
  readonly name: 'trellis' | 'hasura'
  /** The prefix of session variables and of the server's own headers, in lower case. */
  readonly sessionPrefix: string
  /** The other dialect and its prefix. Its names are refused where they would silently mean something else. */
  readonly foreignPrefix: string
  readonly foreignDialect: string
  readonly roleVariable: string
  readonly userIdVariable: string
  readonly adminSecretHeader: string
  readonly accessKeyHeader: string
  readonly backendOnlyVariable: string
  /** The claims with the allowed roles, and with the role that applies unless the request asks for another one. */
  readonly allowedRolesClaim: string
  readonly defaultRoleClaim: string
  /** The prefix of the environment variables that configure the server. */
  readonly environmentPrefix: string
  /** Key of the join columns in a remote relationship. */
  readonly remoteJoinFields: string
  /** The PostgreSQL settings that pass the session and the trace context to triggers. */
  readonly userSetting: string
  readonly traceSetting: string
  /** The other URL of `/healthz`. */
  readonly healthUrl: string
  /** The prefix of the server's own metrics. */
  readonly metricPrefix: string
  /** The product's name in texts. */
  readonly productName: string
  /** The product in the `User-Agent` of outgoing requests. */
  readonly userAgent: string
  /** Whether the CORS domain `*` allows credentials for every origin, as in v1.3; otherwise for no origin. */
  readonly trustsEveryOrigin: boolean
  /** The size in bytes from which answers are compressed; for smaller ones compression costs more than it saves. */
  readonly leastCompressed: number
  /**
   * Whether an error of a remote server keeps the rest of the answer, with the error listed beside it; otherwise `data`
   * is dropped.
   */
  readonly partialAnswers: boolean
  /** The number of redirects that an outgoing request follows. */
  readonly redirects: number
  /** The default for the namespace of claims. It is the same in both dialects, because existing tokens use it. */
  readonly claimsNamespace: string
  /**
   * Whether v1.3's gaps in checking tokens are closed. A configured audience must be in the token. Keys of a key set
   * must match the token's `kid` and the configured `type`. Unknown keys of the configuration are refused.
   */
  readonly strictTokens: boolean
  /** Whether a null makes its part of a boolean expression true, as in v1.3; otherwise it is refused. */
  readonly nullsHold: boolean
  /**
   * Whether the generated schema keeps types and fields of v1.3 where ours are stricter, since clients declare
   * variables of these types. List elements and counts may then be null, and patterns are strings whatever the column's
   * type. Roles get Relay's nodes and connections even if they may not select the primary key.
   */
  readonly lenientSchema: boolean
  /** Whether permissions and data operations take strings for numbers and booleans, if PostgreSQL can parse them. */
  readonly textLiterals: boolean
  /**
   * Whether a NULL column is unequal to any value in permissions and data operations, as in v1.3; otherwise as in SQL.
   */
  readonly nullsDiffer: boolean
  /**
   * Whether "GraphQL over HTTP" applies where v1.3 differs: queries by GET, status 415 for bodies without a content
   * type, and 400 for bodies that are not JSON.
   */
  readonly graphqlOverHttp: boolean
  /** Whether `@_multiple_top_level_fields` lets a subscription have several root fields, as in v1.3. */
  readonly severalSubscribed: boolean
  /** The version that clients see, from which tools derive the features; null: the server's own. */
  readonly reportedVersion: string | null
  /** The order of enum values in the introspection of its own enums. */
  readonly metaEnums: 'by name' | 'as specified'
  /** Whether errors have help that v1.3's errors lack, such as hints. */
  readonly errorsHelp: boolean
  /** The status of an administrator's change that PostgreSQL refuses. v1.3 reports it as a failure of the server. */
  readonly refusedChange: 400 | 500
  /** The log level of requests that are refused because of the client's input. */
  readonly refusedLevel: 'info' | 'error'
  /**
   * Whether unknown keys are ignored in arguments of operations, as in v1.3, and at the top of a metadata document,
   * where a log line reports them. Otherwise they are refused.
   */
  readonly unknownKeysPass: boolean
  /** The name that newer metadata documents give to this naming of generated fields. */
  readonly namingConvention: string
  /** Whether clients see the delay of live queries in whole seconds, rounded up; in v1.3 it has a fraction. */
  readonly wholeDelays: boolean
  /** Whether event triggers may be invoked manually by default; in v1.3 they may not. */
  readonly manualByDefault: boolean
  /** How inconsistent objects are listed: as a bare list, or in an object with a flag for consistency. */
  readonly inconsistencies: 'list' | 'report'
  /** Whether lists of inconsistent objects define tables of the schema `public` by their bare name. */
  readonly bareTableNames: boolean
  /** The name of generated table types in messages. */
  readonly generatedTypes: string
  /** The kind of query that can be explained, as named in the error for other kinds. */
  readonly explainable: string
  /** The prefix of the database triggers that record changes for event triggers. */
  readonly triggerPrefix: string
  /** Whether log lines have only v1.3's members; otherwise also `msg` and `time`, which pino's tools need. */
  readonly plainLog: boolean
  /** Whether the configuration endpoint reports the location of the console's assets. */
  readonly tellsConsoleAssets: boolean
  /** The schema name that tools use to read the server's own tables; null if they cannot be read. */
  readonly systemSchema: string | null
}

function dialect(
  name: Dialect['name'],
  word: string,
  other: { readonly name: string; readonly word: string },
): Dialect {
  const prefix = `x-${word}-`
  const isOwn = name === 'trellis'
  return {
    name,
    sessionPrefix: prefix,
    foreignPrefix: `x-${other.word}-`,
    foreignDialect: other.name,
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
    healthUrl: `/${name}/healthz`,
    metricPrefix: `${word}_`,
    productName: isOwn ? 'Trellis' : 'hasura',
    userAgent: isOwn ? 'trellis' : 'hasura-graphql-engine',
    trustsEveryOrigin: !isOwn,
    leastCompressed: isOwn ? 1024 : 1,
    partialAnswers: isOwn,
    redirects: isOwn ? 0 : 10,
    claimsNamespace: 'https://hasura.io/jwt/claims',
    strictTokens: isOwn,
    nullsHold: !isOwn,
    lenientSchema: !isOwn,
    textLiterals: !isOwn,
    nullsDiffer: !isOwn,
    graphqlOverHttp: isOwn,
    severalSubscribed: !isOwn,
    reportedVersion: isOwn ? null : 'v1.3.2',
    metaEnums: isOwn ? 'as specified' : 'by name',
    errorsHelp: isOwn,
    refusedChange: isOwn ? 400 : 500,
    refusedLevel: isOwn ? 'info' : 'error',
    unknownKeysPass: !isOwn,
    namingConvention: `${word}-default`,
    wholeDelays: isOwn,
    manualByDefault: isOwn,
    inconsistencies: isOwn ? 'list' : 'report',
    bareTableNames: isOwn,
    generatedTypes: isOwn ? 'autogenerated types' : 'autogenerated hasura types',
    explainable: isOwn ? 'database' : 'hasura',
    triggerPrefix: isOwn ? 'trellis_' : 'notify_hasura_',
    plainLog: !isOwn,
    tellsConsoleAssets: !isOwn,
    systemSchema: isOwn ? null : 'hdb_catalog',
  }
}

/** The two sets of names: Trellis' own neutral names, and those of existing v1.3 projects. */
export const dialects = {
  trellis: dialect('trellis', 'service', { name: 'hasura', word: 'hasura' }),
  hasura: dialect('hasura', 'hasura', { name: 'trellis', word: 'service' }),
} as const satisfies Record<string, Dialect>

/** The values of the option `dialect`. */
export type DialectName = keyof typeof dialects
