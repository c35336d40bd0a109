// Every option that the interface names, as it is written there; and every option that is declared, with good and bad
// values from each source.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dialects } from '../../core/names/dialect.ts'
import type { Option } from '../../core/options/option-values.ts'
import { OptionsError } from '../../process/settings.ts'
import { builtInOptions as options, parseSettings, readCommandLine } from '../support/built-in-options.ts'

const prefix = dialects.trellis.environmentPrefix

/** Flag, short flag, variable and default of the options that configurations of v1.3 may have. */
const interfaceOptions: readonly (readonly [string, string | null, string | null, unknown])[] = [
  ['database-url', null, 'DATABASE_URL', null],
  ['host', null, null, null],
  ['port', 'p', null, null],
  ['user', 'u', null, null],
  ['password', null, null, null],
  ['dbname', 'd', null, null],
  ['pg-connection-options', 'o', null, null],
  ['retries', null, 'NO_OF_RETRIES', 1],
  ['server-port', null, 'SERVER_PORT', 8080],
  ['server-host', null, 'SERVER_HOST', null],
  ['stripes', 's', 'PG_STRIPES', 1],
  // Six less than the interface has: two instances fit into PostgreSQL's default of 100.
  ['connections', 'c', 'PG_CONNECTIONS', 44],
  ['timeout', null, 'PG_TIMEOUT', 180],
  ['conn-lifetime', null, 'PG_CONN_LIFETIME', 600],
  ['use-prepared-statements', null, 'USE_PREPARED_STATEMENTS', true],
  ['tx-iso', 'i', 'TX_ISOLATION', 'read-committed'],
  ['admin-secret', null, 'ADMIN_SECRET', null],
  ['access-key', null, 'ACCESS_KEY', null],
  ['auth-hook', null, 'AUTH_HOOK', null],
  ['auth-hook-mode', null, 'AUTH_HOOK_MODE', 'GET'],
  ['jwt-secret', null, 'JWT_SECRET', null],
  ['unauthorized-role', null, 'UNAUTHORIZED_ROLE', null],
  ['cors-domain', null, 'CORS_DOMAIN', ['*']],
  ['disable-cors', null, 'DISABLE_CORS', false],
  ['enable-console', null, 'ENABLE_CONSOLE', null],
  ['console-assets-dir', null, 'CONSOLE_ASSETS_DIR', null],
  ['enable-telemetry', null, 'ENABLE_TELEMETRY', false],
  ['stringify-numeric-types', null, 'STRINGIFY_NUMERIC_TYPES', false],
  ['enabled-apis', null, 'ENABLED_APIS', null],
  ['enable-allowlist', null, 'ENABLE_ALLOWLIST', false],
  ['enabled-log-types', null, 'ENABLED_LOG_TYPES', ['startup', 'http-log', 'webhook-log', 'websocket-log']],
  ['live-queries-multiplexed-refetch-interval', null, 'LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL', 1000],
  ['live-queries-multiplexed-batch-size', null, 'LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE', 100],
  ['ws-read-cookie', null, 'WS_READ_COOKIE', false],
  ['log-level', null, 'LOG_LEVEL', 'info'],
  ['query-plan-cache-size', null, 'QUERY_PLAN_CACHE_SIZE', 4000],
  ['dev-mode', null, 'DEV_MODE', false],
  ['admin-internal-errors', null, 'ADMIN_INTERNAL_ERRORS', true],
]

test('the options of the interface have their flags, variables and defaults', () => {
  const declared = new Map(options.map((option) => [option.declaration.flag, option]))
  const found = interfaceOptions.map(([flag]) => {
    const option = declared.get(flag)
    const { short = null, variable = null } = option?.declaration ?? {}
    return [flag, short, variable, option?.default]
  })
  assert.deepEqual(found, interfaceOptions)
})

interface Given {
  readonly text: string
  /** The value in the form of the configuration file. */
  readonly json: unknown
}

const given = (text: string, json: unknown = text): Given => ({ text, json })

const booleans = {
  good: [given('yes', true), given('F', false)],
  bad: [given('1', 1), given('', ''), given('on', 'on')],
}

const limitsOf = ({ schema }: Option) => schema as { readonly minimum?: number; readonly maximum?: number }

function numbers(option: Option) {
  const { minimum = 0, maximum = 1_000_000 } = limitsOf(option)
  const beyond = [given(String(minimum - 1), minimum - 1), given(String(maximum + 1), maximum + 1)]
  const bounded = limitsOf(option).maximum === undefined ? beyond.slice(0, 1) : beyond
  return {
    good: [given(String(minimum), minimum), given(` ${maximum} `, maximum)],
    bad: [
      ...bounded,
      given('', ''),
      given('many', 'many'),
      given('1.5', 1.5),
      given('1e1', '1e1'),
      given('0x1', '0x1'),
    ],
  }
}

const signingSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

const databaseUrls = {
  good: ['postgres://h/d', 'postgresql://u:p@h:1/d?x=y'],
  bad: ['h/d', 'mysql://h/d', 'postgres://h:x/d'],
}

/** Texts that options with their own rules accept and refuse. */
const ruled: Readonly<Record<string, { readonly good: readonly string[]; readonly bad: readonly string[] }>> = {
  databaseUrl: databaseUrls,
  metadataDatabaseUrl: databaseUrls,
  workers: { good: ['1', '2', 'auto'], bad: ['0', '257', 'many'] },
  adminSecret: { good: ['a', '["a","b"]'], bad: ['[]', '["a",""]', '["a"'] },
  environmentColour: { good: ['#b3261e'], bad: ['red', '#fff'] },
  readSecret: { good: ['a', '["a","b"]'], bad: ['[]', '["a",""]', '["a"'] },
  accessKey: { good: ['a'], bad: ['[""]'] },
  metricsSecret: { good: ['a'], bad: ['[""]'] },
  mongodbUrl: {
    good: ['mongodb://h/d', 'mongodb://u:p@h:1,i:2/d?replicaSet=r', 'mongodb+srv://h/d'],
    bad: ['h/d', 'http://h/d'],
  },
  webhookSigningSecrets: {
    good: [signingSecret, `${signingSecret} ${signingSecret}`],
    bad: ['sesame', 'whsec_YQ==', `${signingSecret} sesame`],
  },
  authHook: { good: ['http://h/', 'https://h:1/p?q', 'http://u:p@h/'], bad: ['h', 'ftp://h/'] },
}

const listsOf: Readonly<Record<string, { readonly good: readonly string[]; readonly bad: readonly string[] }>> = {
  corsDomain: {
    good: ['*', 'http://a.b', 'https://*.a.b:8080,http://localhost:3000'],
    bad: ['a.b', '://a.b', 'App://a.b', 'http://a.b/', 'http://a.b:x', 'http://*a.b', 'http://a.*.b', 'http://a.b,*.c'],
  },
  enabledLogTypes: {
    good: ['startup', ' Query-Log , http-log', 'startup,execution-log,jwk-refresh-log'],
    bad: ['gossip', 'startup,x'],
  },
}

/** Accepted and refused values of an option. */
function valuesOf(option: Option): { readonly good: readonly Given[]; readonly bad: readonly Given[] } {
  const { kind, words = [] } = option.declaration
  const asGiven = (texts: readonly string[]) => texts.map((text) => given(text))
  switch (kind) {
    case 'boolean':
    case 'switch':
      return booleans
    case 'int':
      return numbers(option)
    case 'enum':
      return { good: asGiven(words), bad: asGiven(['', 'nonsense', `${words[0]}x`]) }
    case 'list': {
      const { good, bad } = listsOf[option.key] ?? { good: ['a', ' a , b,'], bad: [] }
      return { good: asGiven(good), bad: [...asGiven(['', ' , ']), ...asGiven(bad)] }
    }
    case 'string': {
      const { good, bad } = ruled[option.key] ?? { good: ['a'], bad: [] }
      return { good: asGiven(good), bad: [given(''), ...asGiven(bad)] }
    }
    default:
      return kind satisfies never
  }
}

/** The arguments that an option needs beside it, so that only its own value is judged. */
const beside = (option: Option): readonly string[] => {
  const { key } = option
  if (/^(authHook|jwtSecret|readSecret|unauthorizedRole)$/.test(key)) return ['--admin-secret', 's']
  return /^database(Host|Port|User|Name|Password|Options)$/.test(key) ? ['--database-url', 'postgres://h/d'] : []
}

/** All ways to give an option, with the name of each in refusals. */
function ways(
  option: Option,
): readonly { readonly source: string; give(value: Given): ReturnType<typeof parseSettings> }[] {
  const { flag, variable, kind, secret } = option.declaration
  const { key } = option
  const rest = beside(option)
  const parse = (argv: readonly string[], variables: Record<string, string> = {}, files: Record<string, string> = {}) =>
    parseSettings(readCommandLine([...rest, ...argv]), { variables, readFile: (path) => files[path] ?? null })
  const name = `${prefix}${variable}`
  return [
    // A switch takes no value.
    ...(kind === 'switch'
      ? []
      : [{ source: `Option --${flag}`, give: ({ text }: Given) => parse([`--${flag}=${text}`]) }]),
    ...(variable === undefined
      ? []
      : [{ source: `Environment variable ${name}`, give: ({ text }: Given) => parse([], { [name]: text }) }]),
    ...(variable === undefined || !secret
      ? []
      : [
          {
            source: `Environment variable ${name}_FILE, file /run/x`,
            give: ({ text }: Given) => parse([], { [`${name}_FILE`]: '/run/x' }, { '/run/x': `${text}\n` }),
          },
        ]),
    {
      source: `Configuration file trellis.config.json:1:${key.length + 6}, ${key}`,
      give: ({ json }: Given) => parse([], {}, { 'trellis.config.json': `{ "${key}":${JSON.stringify(json)}, } // x` }),
    },
    {
      source: `Configuration file trellis.config.yaml:2:${key.length + 3}, ${key}`,
      give: ({ json }: Given) => parse([], {}, { 'trellis.config.yaml': `# x\n${key}: ${JSON.stringify(json)}\n` }),
    },
  ]
}

function reasonOf(give: () => unknown): string {
  try {
    give()
  } catch (error) {
    if (error instanceof OptionsError) return error.message
    throw error
  }
  return 'was accepted'
}

/** Options that name where the others come from are read before them. */
const judged = options.filter(({ key }) => key !== 'config' && key !== 'dialect')

for (const option of judged) {
  const { good, bad } = valuesOf(option)

  test(`--${option.declaration.flag} takes its values from every source`, () => {
    for (const value of good) {
      const read = ways(option).map(({ give }) => give(value).settings[option.key])
      for (const each of read) assert.deepEqual(each, read[0], value.text)
      assert.notEqual(read[0], undefined)
    }
  })

  test(`--${option.declaration.flag} refuses invalid values under the name of their source`, () => {
    for (const value of bad) {
      for (const { source, give } of ways(option)) {
        const reason = reasonOf(() => give(value))
        assert.ok(reason.startsWith(`Fatal Error:- ${source}: `), `${JSON.stringify(value)}: ${reason}`)
        if (option.declaration.secret) assert.ok(value.text.length < 3 || !reason.includes(value.text), reason)
      }
    }
  })
}

test('the words of refusals are those of the interface', () => {
  const boolean =
    ' Not a valid boolean text. True values are ["true","t","yes","y"] and  False values are ["false","f","no","n"]. All values are case insensitive'
  const types =
    '["startup","query-log","http-log","webhook-log","websocket-log","livequery-poller-log","action-handler-log"]'
  const refusals: readonly (readonly [string, string, string])[] = [
    ['TX_ISOLATION', 'none', 'Only expecting read-committed / repeatable-read / serializable'],
    ['LOG_LEVEL', 'loud', 'Valid log levels: debug, info, warn or error'],
    ['ENABLED_LOG_TYPES', 'gossip', `Valid list of comma-separated log types: ${types}`],
    ['AUTH_HOOK_MODE', 'get', 'Only expecting GET / POST'],
    ['DEV_MODE', '1', boolean],
    ['USE_PREPARED_STATEMENTS', 'on', boolean],
    ['ENABLE_TELEMETRY', '0', boolean],
    [
      'CORS_DOMAIN',
      'http://a.b,c.d',
      `invalid domain: 'c.d'. All domains should have scheme + (optional wildcard) host + (optional port)`,
    ],
  ]
  for (const [variable, value, reason] of refusals) {
    const found = reasonOf(() =>
      parseSettings(readCommandLine([]), { variables: { [prefix + variable]: value }, readFile: () => null }),
    )
    assert.equal(found, `Fatal Error:- Environment variable ${prefix}${variable}: ${reason}`)
  }
})
