import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AllSettings, defaultSettings } from '../../core/engine/options.ts'
import { loggedByPlugins } from '../../core/engine/plugin-options.ts'
import { redactedSettings } from '../../core/options/redaction.ts'
import { builtInPlugins } from '../../plugins/index.ts'
import { bannerText, configurationEntry } from '../../process/banner.ts'
import { OptionsError } from '../../process/settings.ts'
import { builtInOptions, parseSettings, readCommandLine } from '../support/built-in-options.ts'

const parse = (argv: readonly string[], variables: Record<string, string> = {}, file?: string) =>
  parseSettings(readCommandLine(argv), {
    variables,
    readFile: (path) => (path === 'trellis.config.json' ? (file ?? null) : null),
  })

const refused = (argv: readonly string[], message: string, variables?: Record<string, string>) =>
  assert.throws(
    () => parse(argv, variables),
    (error) => error instanceof OptionsError && assert.equal(error.message, message) === undefined,
  )

/** The entries of the built-in plugins in the startup log. */
const said = (settings: AllSettings) =>
  loggedByPlugins(
    builtInPlugins.map((plugin) => ({ plugin, source: null })),
    settings,
  )

const hook = ['--auth-hook', 'http://hook.test/auth']
const jwt = ['--jwt-secret', '{"type":"HS256","key":"x"}']
const secret = ['--admin-secret', 'sesame']
const role = ['--unauthorized-role', 'anonymous']
const secrets = '--admin-secret (SERVICE_GRAPHQL_ADMIN_SECRET) or  --access-key (SERVICE_GRAPHQL_ACCESS_KEY)'

test('each mode has its options', () => {
  for (const mode of [[], secret, [...secret, ...role], [...secret, ...hook], [...secret, ...jwt, ...role]]) {
    assert.ok(parse(mode))
  }
  assert.equal(parse(['--access-key', 'old', ...jwt]).settings.adminSecret, 'old')
})

test('a webhook and tokens need an admin secret', () => {
  refused(hook, `Fatal Error : --auth-hook (SERVICE_GRAPHQL_AUTH_HOOK) requires ${secrets} to be set`)
  refused(jwt, `Fatal Error : --jwt-secret (SERVICE_GRAPHQL_JWT_SECRET) requires ${secrets} to be set`)
})

test('a read secret needs an admin secret, and differs from it', () => {
  const option = '--read-secret (SERVICE_GRAPHQL_READ_SECRET)'
  const read = (text: string) => ['--read-secret', text]
  assert.ok(parse([...secret, ...read('["look", "peek"]')]))
  refused(read('look'), `Fatal Error : ${option} requires ${secrets} to be set`)
  refused(
    ['--admin-secret', '["a", "b"]', ...read('["c", "b"]')],
    `Fatal Error : ${option} must differ from ${secrets}`,
  )
})

test('a webhook and tokens exclude each other', () => {
  const message = 'Fatal Error: Both webhook and JWT mode cannot be enabled at the same time'
  refused([...secret, ...hook, ...jwt], message)
  refused([...hook, ...jwt], message)
})

test('an unauthorized role needs an admin secret, and excludes a webhook', () => {
  const message = `Fatal Error: --unauthorized-role (SERVICE_GRAPHQL_UNAUTHORIZED_ROLE) requires ${secrets} to be set and is not allowed when --auth-hook (SERVICE_GRAPHQL_AUTH_HOOK) is set`
  refused(role, message)
  refused([...secret, ...hook, ...role], message)
})

test('the messages name the variables of the dialect', () => {
  const names = '--admin-secret (HASURA_GRAPHQL_ADMIN_SECRET) or  --access-key (HASURA_GRAPHQL_ACCESS_KEY)'
  const message = `Fatal Error : --auth-hook (HASURA_GRAPHQL_AUTH_HOOK) requires ${names} to be set`
  refused([...hook, '--dialect', 'hasura'], message)
})

test('the webhook mode is GET or POST, in this spelling only', () => {
  const modeOf = (variables: Record<string, string>) => parse([], variables).settings.authHookMode
  assert.equal(modeOf({}), 'GET')
  assert.equal(modeOf({ SERVICE_GRAPHQL_AUTH_HOOK_MODE: 'POST' }), 'POST')
  assert.equal(modeOf({ SERVICE_GRAPHQL_AUTH_HOOK_TYPE: 'POST' }), 'POST')
  assert.equal(modeOf({ SERVICE_GRAPHQL_AUTH_HOOK_TYPE: 'POST', SERVICE_GRAPHQL_AUTH_HOOK_MODE: 'GET' }), 'GET')
  refused(['--auth-hook-mode', 'post'], 'Fatal Error:- Option --auth-hook-mode: Only expecting GET / POST')
  const variable = 'SERVICE_GRAPHQL_AUTH_HOOK_TYPE'
  refused([], `Fatal Error:- Environment variable ${variable}: Only expecting GET / POST`, { [variable]: 'PUT' })
  assert.deepEqual(parse([], { SERVICE_GRAPHQL_AUTH_HOOK_TYPE: 'POST' }).unknownVariables, [])
})

test('the webhook must be an HTTP URL', () => {
  for (const url of ['hook.test', 'ftp://hook.test']) {
    const message = 'Only expecting a URL such as https://host/path'
    refused([...secret, '--auth-hook', url], `Fatal Error:- Option --auth-hook: ${message}`)
  }
})

test('several admin secrets are a JSON array, from any source', () => {
  const both = '["new", "old"]'
  assert.equal(parse(['--admin-secret', both]).settings.adminSecret, both)
  assert.equal(parse([], {}, JSON.stringify({ adminSecret: both })).settings.adminSecret, both)
  const message = 'Only expecting a secret, or a JSON array of secrets, none of them empty'
  for (const bad of ['[]', '[""]', '["a",""]', '["a",1]', '["a"', '["a",]', ' [ "a"']) {
    refused(['--admin-secret', bad], `Fatal Error:- Option --admin-secret: ${message}`)
  }
  for (const one of ['[a]', '[', 'a,b', '{"a":1}'])
    assert.equal(parse(['--admin-secret', one]).settings.adminSecret, one)
})

test('authentication secrets are not in the printed settings, the log or the banner', () => {
  const { settings } = parse([
    ...['--admin-secret', '["hidden1","hidden2"]', '--jwt-secret', '{"type":"HS256","key":"hidden3"}'],
  ])
  const hooked = parse([
    ...secret,
    '--auth-hook',
    'http://hook.test/a?key=hidden4',
    '--auth-hook-mode',
    'POST',
  ]).settings
  const facts = {
    options: builtInOptions,
    port: 1,
    plugins: [],
    apis: [],
    routes: [],
    embedded: null,
    files: [],
    unknownVariables: [],
  }
  for (const each of [settings, hooked]) {
    const shown = [
      redactedSettings(each, builtInOptions),
      configurationEntry(each, [], said(each)),
      bannerText({ settings: each, ...facts }),
    ]
    assert.doesNotMatch(JSON.stringify(shown), /hidden/)
  }
  const info = (configurationEntry(settings, [], said(settings)).detail as { info: Record<string, unknown> }).info
  assert.deepEqual(info['jwt_secret'], { type: '<TYPE REDACTED>', key: '<JWK REDACTED>' })
  const hookInfo = (configurationEntry(hooked, [], said(hooked)).detail as { info: Record<string, unknown> }).info
  assert.deepEqual([hookInfo['auth_hook'], hookInfo['auth_hook_mode']], ['http://hook.test/a?key=redacted', 'POST'])
})

test('the banner describes requests without the admin secret', () => {
  const line = (argv: readonly string[]) => {
    const settings = { ...defaultSettings(), ...parse(argv).settings }
    const text = bannerText({
      settings,
      options: builtInOptions,
      port: 1,
      plugins: [],
      apis: [],
      routes: [],
      embedded: null,
      files: [],
      unknownVariables: [],
    })
    return /Access +(.*)/.exec(text)?.[1]
  }
  const guarded = 'guarded by the admin secret, requests without it:'
  assert.equal(line([...secret, ...role]), `${guarded} role anonymous`)
  assert.equal(line([...secret, ...hook]), `${guarded} the webhook decides`)
  assert.equal(line([...secret, ...jwt]), `${guarded} by token, without one: refused`)
  assert.equal(line([...secret, ...jwt, ...role]), `${guarded} by token, without one: role anonymous`)
})
