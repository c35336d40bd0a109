// The names on the wire. Nothing else in the code base spells a prefix.

export interface Dialect {
  readonly name: 'trellis' | 'hasura'
  /** Prefix of session variables and of the server's own headers, lower case. */
  readonly sessionPrefix: string
  /** The same of the other dialect, and how that is called: its names are refused where they would be taken for something else. */
  readonly foreignPrefix: string
  readonly foreignDialect: string
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
  /** What the names of the server's own metrics begin with. */
  readonly metricPrefix: string
  /** What a text that names the product says. */
  readonly productName: string
  /** The product in the `User-Agent` of outgoing requests. */
  readonly userAgent: string
  /** Whether `*` as CORS domain gives credentials to every origin, as in v1.3; else to none. */
  readonly trustsEveryOrigin: boolean
  /** From how many bytes on answers are compressed for clients that take it: below, it costs more than sending. */
  readonly leastCompressed: number
  /** Whether what others answer with errors leaves the rest of an answer, the errors listed beside it; else nothing of it. */
  readonly partialAnswers: boolean
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
  /**
   * Whether the generated schema has the types and fields of v1.3 where ours are stricter, since clients declare
   * variables of them: elements of lists and counts that may be null, patterns that are strings whatever the column is,
   * and Relay's nodes and connections for roles that may not select the primary key.
   */
  readonly lenientSchema: boolean
  /** Whether strings stand for numbers and booleans in permissions and data operations, where PostgreSQL reads them so. */
  readonly textLiterals: boolean
  /** Whether a column that is NULL is unequal to any value in permissions and data operations, as in v1.3; else it is as in SQL. */
  readonly nullsDiffer: boolean
  /**
   * Whether "GraphQL over HTTP" is held to where v1.3 does otherwise: queries by GET, 415 for bodies without a type, and 400
   * for those that are no JSON.
   */
  readonly graphqlOverHttp: boolean
  /** Whether `@_multiple_top_level_fields` lets a subscription have several root fields, as in v1.3. */
  readonly severalSubscribed: boolean
  /** The version that clients are told, by which tools decide what they may ask; null: the server's own. */
  readonly toldVersion: string | null
  /** In which order introspection lists the values of its own enums. */
  readonly metaEnums: 'by name' | 'as specified'
  /** Whether errors have members beside those of v1.3 that help to mend a request. */
  readonly errorsHelp: boolean
  /** At which level requests are logged that are refused for what the client sent. */
  readonly refusedLevel: 'info' | 'error'
  /**
   * Whether unknown keys of operations' arguments are passed over, as in v1.3, and those at the top of a metadata document,
   * with a line in the log; else refused.
   */
  readonly unknownKeysPass: boolean
  /** What later documents call the way in which generated names are made. */
  readonly namingConvention: string
  /** Whether the delay of live queries is told to clients in whole seconds, rounded up; as in v1.3, it has a fraction. */
  readonly wholeDelays: boolean
  /** Whether an event trigger that does not say so may be invoked by hand; as in v1.3, it may not. */
  readonly manualByDefault: boolean
  /** How inconsistent objects are listed: bare, or in an object that says whether there are any. */
  readonly inconsistencies: 'list' | 'report'
  /** Whether a table of the schema `public` is defined by its bare name where inconsistent objects are listed. */
  readonly bareTableNames: boolean
  /** What messages call the types that are made of tables. */
  readonly generatedTypes: string
  /** What kind of query can be explained, as the refusal of others says. */
  readonly explainable: string
  /** What the names of the triggers begin with that record changes for event triggers. */
  readonly triggerPrefix: string
  /** Whether log lines have the members of v1.3 only; else also `msg` and `time`, which the tools of pino look for. */
  readonly plainLog: boolean
  /** Whether the configuration endpoint tells where the console's assets are. */
  readonly tellsConsoleAssets: boolean
  /** The schema under whose name tools read the server's own tables; null where there are none to read. */
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
    toldVersion: isOwn ? null : 'v1.3.2',
    metaEnums: isOwn ? 'as specified' : 'by name',
    errorsHelp: isOwn,
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

/** The two name sets: Trellis' own neutral one, and the one that existing v1.3 projects use. */
export const dialects = {
  trellis: dialect('trellis', 'service', { name: 'hasura', word: 'hasura' }),
  hasura: dialect('hasura', 'hasura', { name: 'trellis', word: 'service' }),
} as const satisfies Record<string, Dialect>

/** The value of the option `dialect`. */
export type DialectName = keyof typeof dialects
