// Options of plugins are declared with the plugin and given like all others.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { defaultSettings, type GivenSettings } from '../../core/engine/options.ts'
import { optionsOf } from '../../core/engine/plugin-options.ts'
import { PluginError } from '../../core/engine/plugins.ts'
import { OptionsError } from '../../core/options/option-values.ts'
import { redactedSettings } from '../../core/options/redaction.ts'
import { definePlugin, option, type PluginOptions } from '../../sdk/index.ts'
import { clientOf } from '../support/client.ts'
import { testDatabase } from '../support/database.ts'
import { spawnTrellis, temporaryDirectory } from '../support/process.ts'
import { startTrellis } from '../support/trellis.ts'

/** A third-party plugin that answers with its options, except secret ones. */
const greeter = `
  import { definePlugin, option } from 'trellis'
  export default definePlugin({
    name: 'greeter',
    options: {
      greeting: option.textWithDefault('hello', { flag: 'greeting', variable: 'GREETING', description: 'what is said' }),
      greetings: option.whole(1, { minimum: 1, maximum: 3 }, { flag: 'greetings', variable: 'GREETINGS', description: 'how often' }),
      greetKey: option.text({ flag: 'greet-key', variable: 'GREET_KEY', secret: true, description: 'what nobody may know' }),
      loud: option.flagOnly({ flag: 'loud', variable: 'LOUD', description: 'whether it is shouted' }),
    },
    logged: ({ loud }) => [{ key: 'loud', place: 111, value: loud }],
    register({ routes, options, configuration }) {
      const { greetKey, ...shown } = options
      routes.add({ method: 'GET', url: '/greeting', auth: 'none', handle: () => ({ ...shown, hasKey: greetKey !== null }) })
    },
  })
`

/** A server process in a directory with the plugin and these files. */
async function serve(
  t: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = {},
) {
  const cwd = temporaryDirectory(t)
  const { url } = await testDatabase(t)
  for (const [name, text] of Object.entries({ ...files, 'greeter.ts': greeter })) writeFileSync(join(cwd, name), text)
  const basic = ['--database-url', url, '--server-host', '127.0.0.1', '--server-port', '0']
  return spawnTrellis(t, [...basic, ...args], env, { cwd })
}

test('a plugin of the command line reads its options from every source', async (t) => {
  const flags = ['--greeting', 'ahoy', '--plugin', './greeter.ts', '--loud']
  const env = {
    SERVICE_GRAPHQL_GREETING: 'not this',
    SERVICE_GRAPHQL_GREETINGS: '2',
    SERVICE_GRAPHQL_GREET_KEY_FILE: 'key',
  }
  const server = await serve(t, flags, env, { key: 'planted-key\n' })
  const { request } = clientOf(await server.ready())
  assert.deepEqual((await request('/greeting')).body, { greeting: 'ahoy', greetings: 2, loud: true, hasKey: true })
  await server.output(/"stringify_numeric_types":false,"loud":true,"enabled_apis"/)
  server.kill('SIGTERM')
  const { stdout, stderr } = await server.ended
  assert.doesNotMatch(stdout + stderr, /planted|Ignored/)
})

test("a plugin of the configuration file has its options there, and elsewhere with the dialect's names", async (t) => {
  const files = { 'trellis.config.yaml': 'dialect: hasura\nplugins: ./greeter.ts\ngreetings: 3\n' }
  const server = await serve(t, [], { HASURA_GRAPHQL_GREETING: 'moin' }, files)
  const { request } = clientOf(await server.ready())
  assert.deepEqual((await request('/greeting')).body, { greeting: 'moin', greetings: 3, loud: false, hasKey: false })
})

test('invalid values and unknown options end the start with one line', async (t) => {
  const refused: readonly (readonly [readonly string[], Readonly<Record<string, string>>, string])[] = [
    [
      ['--plugin', './greeter.ts', '--greetings', '4'],
      {},
      'Option --greetings: Only expecting a whole number from 1 to 3',
    ],
    [
      [],
      { SERVICE_GRAPHQL_PLUGINS: './greeter.ts', SERVICE_GRAPHQL_LOUD: 'very' },
      'Environment variable SERVICE_GRAPHQL_LOUD:  Not a valid boolean text.',
    ],
    [['--plugin', './greeter.ts', '--greting', 'x'], {}, 'Unknown option --greting, did you mean --greeting?'],
    [['--greeting', 'x'], {}, 'Unknown option --greeting (--help all lists all options)'],
  ]
  for (const [args, env, message] of refused) {
    const { code, stderr } = await (await serve(t, args, env)).ended
    assert.deepEqual([code, stderr.trim().split('\n').length], [1, 1], stderr)
    assert.ok(stderr.startsWith(`Fatal Error:- ${message}`), stderr)
  }
})

test('--help lists options of plugins, and answers even if a plugin cannot be loaded', async (t) => {
  const { stdout } = await (await serve(t, ['--plugin', './greeter.ts', '--help', 'all'])).ended
  assert.match(
    stdout,
    /--greeting\n +what is said\n +\[variable SERVICE_GRAPHQL_GREETING, key greeting, default hello\]/,
  )
  const without = await (await serve(t, ['--plugin', './absent.ts', '--help'])).ended
  assert.deepEqual([without.code, without.stderr], [0, ''])
  assert.match(without.stdout, /--jwt-secret/)
})

const declaring = (name: string, options: PluginOptions, source: string | null = null) => ({
  plugin: definePlugin({ name, options, register() {} }),
  source,
})
const named = (flag: string, variable?: string) => option.text({ flag, variable, description: 'x' })

test('duplicate option names are refused with the names of both plugins', () => {
  const refusal = (plugins: Parameters<typeof optionsOf>[0], message: string) =>
    assert.throws(
      () => optionsOf(plugins),
      (error) => error instanceof PluginError && assert.equal(error.message, message) === undefined,
    )
  refusal(
    [declaring('one', { a: named('same') }), declaring('two', { b: named('same') }, './two.ts')],
    'plugin "two" (./two.ts) declares the option --same, which belongs to plugin "one"',
  )
  refusal(
    [declaring('one', { a: named('a') }), declaring('two', { a: named('b') })],
    'plugin "two" declares the key "a", which belongs to plugin "one"',
  )
  refusal(
    [declaring('one', { a: named('a', 'LOG_LEVEL') })],
    'plugin "one" declares the variable LOG_LEVEL, which belongs to Trellis itself',
  )
  refusal(
    [declaring('one', { a: named('help') })],
    'plugin "one" declares the option --help, which belongs to Trellis itself',
  )
})

const corsRefusal =
  "invalid domain: 'here'. All domains should have scheme + (optional wildcard) host + (optional port)"

const keeper = definePlugin({
  name: 'keeper',
  options: {
    rooms: option.list(['hall'], { flag: 'rooms', description: 'x' }),
    houseKey: option.text({ flag: 'house-key', secret: true, json: 'object', description: 'x' }),
  },
  register({ routes, options, settings }) {
    const { rooms, houseKey } = options
    const isApart = !('houseKey' in settings)
    routes.add({ method: 'GET', url: '/rooms', auth: 'none', handle: () => ({ rooms, houseKey, isApart }) })
  },
})

test('a program gives options of plugins by their keys', async (t) => {
  const standard = await startTrellis(t, { plugins: [keeper] })
  assert.deepEqual((await standard.request('/rooms')).body, { rooms: ['hall'], houseKey: null, isApart: true })
  const given = await startTrellis(t, { plugins: [keeper], settings: { rooms: ['attic'], houseKey: { teeth: 5 } } })
  assert.deepEqual((await given.request('/rooms')).body, { rooms: ['attic'], houseKey: '{"teeth":5}', isApart: true })
})

test('a program with invalid values or unknown options is refused', async (t) => {
  const refused = (settings: Readonly<Record<string, unknown>>, message: string) =>
    assert.rejects(startTrellis(t, { plugins: [keeper], settings }), (error) => {
      assert.ok(error instanceof OptionsError)
      assert.equal(error.message, message)
      return true
    })
  await refused({ rooms: [''] }, 'Fatal Error:- Setting rooms: Only expecting a list of texts that are not empty')
  await refused({ room: ['x'] }, 'Fatal Error:- Settings: there is no option "room", did you mean "rooms"?')
  await refused({ connections: 'many' }, 'Fatal Error:- Setting connections: Only expecting a whole number not below 1')
  await refused({ adminSecret: '' }, 'Fatal Error:- Setting adminSecret: Only expecting a text that is not empty')
  await refused({ corsDomain: ['here'] }, `Fatal Error:- Setting corsDomain: ${corsRefusal}`)
  const needed = '--admin-secret (SERVICE_GRAPHQL_ADMIN_SECRET) or  --access-key (SERVICE_GRAPHQL_ACCESS_KEY) to be set'
  await refused(
    { unauthorizedRole: 'guest' },
    `Fatal Error: --unauthorized-role (SERVICE_GRAPHQL_UNAUTHORIZED_ROLE) requires ${needed} and is not allowed when --auth-hook (SERVICE_GRAPHQL_AUTH_HOOK) is set`,
  )
})

test('an undefined option counts as absent', async (t) => {
  const settings = { adminSecret: 'sesame', unauthorizedRole: undefined, maxBodySize: undefined, rooms: undefined }
  const { request, engine } = await startTrellis(t, { plugins: [keeper], settings: settings as GivenSettings })
  const refused = await request('/v1alpha1/graphql', { body: { query: '{ __typename }' } })
  assert.equal(refused.status, 401)
  assert.equal(engine.settings.maxBodySize, 20_971_520)
})

test('secret options of plugins are not in the printed settings', () => {
  const options = optionsOf([{ plugin: keeper, source: null }])
  const printed = redactedSettings(defaultSettings({ houseKey: 'planted', rooms: ['hall'] }), options)
  assert.deepEqual([printed['houseKey'], printed['rooms']], ['<redacted>', ['hall']])
})
