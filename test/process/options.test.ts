import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultSettings } from '../../core/engine/options.ts'
import { redactedSettings } from '../../core/options/redaction.ts'
import { readCommand } from '../../process/cli.ts'
import { OptionsError } from '../../process/settings.ts'
import { builtInCommands, builtInOptions, parseSettings, readCommandLine } from '../support/built-in-options.ts'

interface Sources {
  readonly variables?: Record<string, string>
  readonly file?: string
}

const parse = (argv: readonly string[], { variables = {}, file }: Sources = {}) =>
  parseSettings(readCommandLine(argv), {
    variables,
    readFile: (path) => (path === 'trellis.config.json' ? (file ?? null) : null),
  })

const settingsOf = (argv: readonly string[], sources?: Sources) => parse(argv, sources).settings

function refused(argv: readonly string[], sources: Sources, message: string) {
  assert.throws(
    () => parse(argv, sources),
    (error) => {
      assert.ok(error instanceof OptionsError)
      assert.equal(error.message, message)
      return true
    },
  )
}

test('without any source every option has its default', () => {
  const defaults = Object.fromEntries(builtInOptions.map((option) => [option.key, option.default]))
  assert.deepEqual(settingsOf([]), defaultSettings(defaults))
})

test('flags take precedence over variables, variables over the file, the file over defaults', () => {
  const variables = { SERVICE_GRAPHQL_SERVER_PORT: '2', SERVICE_GRAPHQL_PG_CONNECTIONS: '2' }
  const file = JSON.stringify({ serverPort: 3, connections: 3, retries: 3 })
  const { serverPort, connections, retries, timeout } = settingsOf(['--server-port', '1'], { variables, file })
  assert.deepEqual(
    { serverPort, connections, retries, timeout },
    { serverPort: 1, connections: 2, retries: 3, timeout: 180 },
  )
})

test('a value may follow its flag or an equals sign, and short flags are the same flags', () => {
  assert.equal(settingsOf(['--connections=7']).connections, 7)
  assert.equal(settingsOf(['-c', '8']).connections, 8)
  assert.equal(settingsOf(['serve', '-c9']).connections, 9)
})

test('lists are comma-separated, and a list flag may be repeated', () => {
  assert.deepEqual(settingsOf(['--plugin', './a', '--plugin', 'b, c']).plugins, ['./a', 'b', 'c'])
  assert.deepEqual(settingsOf(['--enabled-apis', ' GraphQL ,metadata']).enabledApis, ['graphql', 'metadata'])
  assert.deepEqual(settingsOf([], { file: '{"plugins": ["x"], "enabledLogTypes": "startup"}' }).plugins, ['x'])
  assert.deepEqual(settingsOf([], { file: '{"enabledLogTypes": []}' }).enabledLogTypes, [])
})

test('booleans are words in any case, and 1 and 0 are refused', () => {
  const name = 'SERVICE_GRAPHQL_DEV_MODE'
  for (const word of ['true', 'T', 'YES', 'y']) {
    assert.equal(settingsOf([], { variables: { [name]: word } }).devMode, true, word)
  }
  for (const word of ['False', 'f', 'no', 'N']) {
    assert.equal(settingsOf([], { variables: { [name]: word } }).devMode, false, word)
  }
  const reason =
    ' Not a valid boolean text. True values are ["true","t","yes","y"] and  False values are ["false","f","no","n"]. All values are case insensitive'
  refused([], { variables: { [name]: '1' } }, `Fatal Error:- Environment variable ${name}: ${reason}`)
  assert.equal(settingsOf(['--dev-mode'], { variables: { [name]: 'no' } }).devMode, true)
})

test('an unknown flag is refused, with the most similar one', () => {
  const advice = '(--help all lists all options)'
  refused(['--server-prt', '1'], {}, `Fatal Error:- Unknown option --server-prt, did you mean --server-port? ${advice}`)
  refused(['--frobnicate'], {}, `Fatal Error:- Unknown option --frobnicate ${advice}`)
})

test('a flag without its value, and a switch with one, are refused', () => {
  const needs = (flag: string) =>
    `Fatal Error:- Option ${flag} needs a value (when it begins with a dash, write ${flag}=VALUE)`
  refused(['--server-port'], {}, needs('--server-port'))
  refused(['--server-port', '--dev-mode'], {}, needs('--server-port'))
  refused(['--dev-mode=yes'], {}, 'Fatal Error:- Option --dev-mode is a switch and takes no value')
})

test('a bad value is refused under the name of its source', () => {
  const port = 'Only expecting a whole number from 0 to 65535'
  for (const bad of ['', 'http', '1.5', '65536', '-1', '1e3', '0x10']) {
    refused([`--server-port=${bad}`], {}, `Fatal Error:- Option --server-port: ${port}`)
  }
  refused(
    [],
    { file: '{"serverPort": "1"}' },
    `Fatal Error:- Configuration file trellis.config.json:1:16, serverPort: ${port}`,
  )
  const variable = (name: string, value: string, reason: string) =>
    refused([], { variables: { [name]: value } }, `Fatal Error:- Environment variable ${name}: ${reason}`)
  variable('SERVICE_GRAPHQL_LOG_LEVEL', 'loud', 'Valid log levels: debug, info, warn or error')
  variable('SERVICE_GRAPHQL_TX_ISOLATION', 'none', 'Only expecting read-committed / repeatable-read / serializable')
  variable('SERVICE_GRAPHQL_ADMIN_SECRET', '', 'Only expecting a text that is not empty')
  variable(
    'SERVICE_GRAPHQL_ENABLED_LOG_TYPES',
    'startup,gossip',
    'Valid list of comma-separated log types: ["startup","query-log","http-log","webhook-log","websocket-log","livequery-poller-log","action-handler-log"]',
  )
  variable(
    'SERVICE_GRAPHQL_CORS_DOMAIN',
    'https://a.org,b.org',
    "invalid domain: 'b.org'. All domains should have scheme + (optional wildcard) host + (optional port)",
  )
})

test('a time beyond the range of timers is refused, since they would fire at once', () => {
  const day = 86_400
  for (const [flag, least, most] of [
    ['connect-timeout', 1, day],
    ['pool-timeout', 1, day],
    ['graceful-shutdown-timeout', 0, day],
    ['async-actions-fetch-interval', 0, 3_600_000],
  ] as const) {
    const message = `Fatal Error:- Option --${flag}: Only expecting a whole number from ${least} to ${most}`
    refused([`--${flag}`, '3000000000'], {}, message)
    settingsOf([`--${flag}`, String(most)])
  }
})

test('a database may be given in parts, all of which are needed', () => {
  const parts = ['--host', '::1', '-p', '5433', '-u', 'a b', '-d', 'x/y', '--password', 'p@s:s']
  assert.equal(settingsOf(parts).databaseUrl, 'postgres://a%20b:p%40s%3As@[::1]:5433/x%2Fy')
  const socket = settingsOf([
    '--host',
    '/run/pg',
    '-p',
    '5432',
    '-u',
    'u',
    '-d',
    'd',
    '--pg-connection-options=-c search_path=app',
  ])
  assert.equal(socket.databaseUrl, 'postgres://u@localhost/d?host=%2Frun%2Fpg&port=5432&options=-c%20search_path%3Dapp')
  assert.equal(settingsOf([...parts, '--database-url', 'postgres://h/d']).databaseUrl, 'postgres://h/d')
  refused(
    ['--host', 'h'],
    {},
    'Fatal Error : Invalid options. Expecting all database connection params (host, port, user, dbname, password) or database-url (SERVICE_GRAPHQL_DATABASE_URL)',
  )
})

test('a text that is not a database URL is refused, and not shown', () => {
  for (const url of ['localhost:5432/db', 'mysql://u:secret@h/d']) {
    refused(
      ['--database-url', url],
      {},
      'Fatal Error:- Option --database-url: Only expecting a URL such as postgres://user:password@host:5432/database, special characters percent-encoded',
    )
  }
  refused(
    ['--database-url', 'postgres://u:se#cret@h:port/d'],
    {},
    'Fatal Error:- Option --database-url: Expecting a URL whose user, password and database are percent-encoded: an @ after the host shows that a / ? # or @ is not (%2F %3F %23 %40)',
  )
})

test('the access key is the admin secret under another name, and the secret wins', () => {
  assert.equal(settingsOf(['--access-key', 'old']).adminSecret, 'old')
  const variables = { SERVICE_GRAPHQL_ADMIN_SECRET: 'new', SERVICE_GRAPHQL_ACCESS_KEY: 'old' }
  assert.equal(settingsOf([], { variables }).adminSecret, 'new')
})

test('a role for unauthorized requests needs an admin secret', () => {
  refused(
    ['--unauthorized-role', 'guest'],
    {},
    'Fatal Error: --unauthorized-role (SERVICE_GRAPHQL_UNAUTHORIZED_ROLE) requires --admin-secret (SERVICE_GRAPHQL_ADMIN_SECRET) or  --access-key (SERVICE_GRAPHQL_ACCESS_KEY) to be set and is not allowed when --auth-hook (SERVICE_GRAPHQL_AUTH_HOOK) is set',
  )
})

test('the other dialect has variables of its own', () => {
  const variables = {
    HASURA_GRAPHQL_SERVER_PORT: '1',
    SERVICE_GRAPHQL_SERVER_PORT: '2',
    SERVICE_GRAPHQL_DIALECT: 'Hasura',
  }
  assert.equal(settingsOf([], { variables }).serverPort, 1)
  assert.equal(settingsOf(['--dialect', 'trellis'], { variables }).serverPort, 2)
  assert.equal(
    settingsOf([], { variables: { HASURA_GRAPHQL_SERVER_PORT: '1' }, file: '{"dialect":"hasura"}' }).serverPort,
    1,
  )
})

test('variables with the prefix but without an option are reported', () => {
  const variables = {
    SERVICE_GRAPHQL_ADMIN_SECRT: 'x',
    SERVICE_GRAPHQL_RETRIES: '1',
    OTHER: '1',
    HASURA_GRAPHQL_X: '1',
  }
  assert.deepEqual(parse([], { variables }).unknownVariables, [
    'SERVICE_GRAPHQL_ADMIN_SECRT',
    'SERVICE_GRAPHQL_RETRIES',
  ])
})

test('secrets are not in the settings as printed', () => {
  const url = 'postgres://u:hidden1@h:1/d?sslpassword=hidden2'
  const settings = settingsOf(['--admin-secret', 'hidden3', '--access-key=hidden4', '--database-url', url])
  const printed = JSON.stringify(redactedSettings(settings, builtInOptions))
  assert.doesNotMatch(printed, /hidden/)
  assert.match(printed, /postgres:\/\/u:redacted@h:1\/d/)
})

test('the command is serve unless another one is named', () => {
  assert.equal(readCommand([], builtInOptions, builtInCommands).name, 'serve')
  assert.equal(
    readCommand(['--server-port', '1', 'serve', '--dev-mode'], builtInOptions, builtInCommands).name,
    'serve',
  )
  assert.throws(
    () => readCommand(['export'], builtInOptions, builtInCommands),
    /Unknown command "export": there are serve, token, version and help/,
  )
  assert.throws(() => readCommand(['serve', '8080'], builtInOptions), /Unexpected word "8080" after serve/)
})

test('the flags of a command belong to it alone', () => {
  const read = (argv: readonly string[]) => readCommand(argv, builtInOptions, builtInCommands)
  const command = read(['token', '--role', 'a', '--claim=b=c', '--role', 'd', '--dialect', 'hasura'])
  assert.deepEqual(
    command.name === 'run' && [command.command.name, command.flags, command.commandLine.flags['dialect']],
    ['token', { role: ['a', 'd'], claim: ['b=c'] }, 'hasura'],
  )
  assert.throws(
    () => read(['serve', '--role', 'a']),
    /^OptionsError: Fatal Error:- Option --role belongs to the command token$/,
  )
  assert.throws(() => read(['token', 'a']), /Unexpected word "a" after token/)
})

test('help is about everything, a group, or a command', () => {
  const help = (...argv: readonly string[]) => {
    const command = readCommand(argv, builtInOptions, builtInCommands)
    return command.name === 'print' ? command.text : ''
  }
  assert.match(help('--help'), /^Usage: trellis .*\n {2}token .*Options that most servers need:/s)
  assert.equal(help('--help', 'all'), help('help', 'all'))
  assert.match(help('help', 'limits'), /^Options, limits:\n {2}--api-limits JSON\n/)
  assert.match(help('token', '--help'), /^Usage: trellis token .*--role ROLE/s)
  assert.throws(
    () => help('help', 'weather'),
    /There is no help about "weather": there is help about all, token, start, /,
  )
})
