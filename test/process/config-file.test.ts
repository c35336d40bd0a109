// Configuration files in all their forms, and the messages about unusable ones.

import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type OptionSources, OptionsError } from '../../process/settings.ts'
import { parseSettings, readCommandLine } from '../support/built-in-options.ts'
import { clientOf } from '../support/client.ts'
import { testDatabase } from '../support/database.ts'
import { spawnTrellis, temporaryDirectory } from '../support/process.ts'

type Files = Readonly<Record<string, string>>

function parse(files: Files, argv: readonly string[] = [], sources: OptionSources = {}) {
  return parseSettings(readCommandLine(argv), { variables: {}, readFile: (path) => files[path] ?? null, ...sources })
}

/** The settings of a text, read as the file of this name. */
const settingsOf = (text: string, name = 'trellis.config.yaml') => parse({ [name]: text }).settings

/** The rest of the one line about a text, after `Fatal Error:- Configuration file `. */
function refusalOf(text: string, name = 'trellis.config.yaml'): string {
  try {
    settingsOf(text, name)
  } catch (error) {
    assert.ok(error instanceof OptionsError, String(error))
    const found = /^Fatal Error:- Configuration file (.*)$/.exec(error.message)
    assert.ok(found, error.message)
    return found[1]!
  }
  return 'was accepted'
}

const json = (text: string) => refusalOf(text, 'trellis.config.json')

test('options with JSON texts are objects and lists in the file', () => {
  const limits = { depth_limit: { global: 7 } }
  const key = { type: 'HS256', key: 'k'.repeat(32) }
  const asJson = JSON.stringify({
    adminSecret: ['a', 'b'],
    apiLimits: limits,
    jwtSecret: key,
    corsDomain: ['http://a.b'],
  })
  const asYaml = `
adminSecret: [a, b]
apiLimits:
  depth_limit: {global: 7}
jwtSecret:
  type: HS256
  key: ${key.key}
corsDomain:
  - http://a.b
`
  for (const settings of [settingsOf(asJson, 'trellis.config.json'), settingsOf(asYaml)]) {
    assert.equal(settings.adminSecret, '["a","b"]')
    assert.equal(settings.apiLimits, JSON.stringify(limits))
    assert.equal(settings.jwtSecret, JSON.stringify(key))
    assert.deepEqual(settings.corsDomain, ['http://a.b'])
  }
  assert.equal(settingsOf(JSON.stringify({ apiLimits: '{"x": 1}' }), 'trellis.config.json').apiLimits, '{"x": 1}')
})

test('JSON may have comments and trailing commas, and a byte order mark is not part of a text', () => {
  const text = '// one\n{ /* two */ "serverPort": 1, // three\n "plugins": ["//a", "b",], }\n'
  const { serverPort, plugins } = settingsOf(text, 'trellis.config.jsonc')
  assert.deepEqual({ serverPort, plugins }, { serverPort: 1, plugins: ['//a', 'b'] })
})

test('a number or boolean where a text is expected is the text as it is written', () => {
  assert.equal(settingsOf('adminSecret: 012345').adminSecret, '012345')
  assert.equal(settingsOf('adminSecret: 1e3').adminSecret, '1e3')
  assert.equal(settingsOf('adminSecret: true').adminSecret, 'true')
  assert.equal(settingsOf('adminSecret: [007, 8, x]').adminSecret, '["007","8","x"]')
  assert.equal(
    settingsOf('{"adminSecret": 123456789012345678901}', 'trellis.config.json').adminSecret,
    '123456789012345678901',
  )
})

test('words of YAML, aliases, block texts and null', () => {
  const text =
    'devMode: yes\nadminSecret: &s |-\n  two\n  lines\naccessKey: *s\nunauthorizedRole: null\nauthHook: ~\nretries:\n'
  const { devMode, adminSecret, accessKey, unauthorizedRole, authHook, retries } = settingsOf(text)
  assert.deepEqual(
    { devMode, adminSecret, accessKey, unauthorizedRole, authHook, retries },
    {
      devMode: true,
      adminSecret: 'two\nlines',
      accessKey: 'two\nlines',
      unauthorizedRole: null,
      authHook: null,
      retries: 1,
    },
  )
  assert.deepEqual(settingsOf('# nothing\n'), settingsOf('{}', 'trellis.config.json'))
})

test('a variable takes precedence over null and every other value of the file', () => {
  const variables = { SERVICE_GRAPHQL_RETRIES: '9', SERVICE_GRAPHQL_NO_OF_RETRIES: '5' }
  assert.equal(parse({ 'trellis.config.yml': 'retries: 3' }, [], { variables }).settings.retries, 5)
})

test('the working directory has one configuration file at most, unless one is named', () => {
  const files = { 'trellis.config.json': '{"retries": 1}', 'trellis.config.yml': 'retries: 2', 'x.yaml': 'retries: 3' }
  const message =
    'Fatal Error:- There are two configuration files, trellis.config.json and trellis.config.yml: keep one, or name it with --config'
  assert.throws(() => parse(files), { name: 'OptionsError', message })
  assert.equal(parse(files, ['--config', 'x.yaml']).settings.retries, 3)
  assert.deepEqual(parse(files, ['--config', 'x.yaml']).files, ['x.yaml'])
  assert.deepEqual(parse({}).files, [])
  const missing = 'Fatal Error:- Configuration file y.yaml does not exist'
  assert.throws(() => parse(files, ['--config', 'y.yaml']), { name: 'OptionsError', message: missing })
})

test('an error names file, line, column and key', () => {
  const port = 'Only expecting a whole number from 0 to 65535'
  assert.equal(json('{\n  "serverPort": "1"\n}'), `trellis.config.json:2:17, serverPort: ${port}`)
  assert.equal(refusalOf('retries: 1\nserverPort: [1]'), `trellis.config.yaml:2:13, serverPort: ${port}`)
  assert.equal(refusalOf('apiLimits: [1]'), 'trellis.config.yaml:1:12, apiLimits: Only expecting a JSON object')
  assert.equal(
    refusalOf('adminSecret: {a: 1}'),
    'trellis.config.yaml:1:14, adminSecret: Only expecting a text, or a list of texts',
  )
  assert.equal(
    refusalOf('adminSecret: [a, {b: c}]'),
    'trellis.config.yaml:1:14, adminSecret: Only expecting a secret, or a JSON array of secrets, none of them empty',
  )
  assert.equal(
    refusalOf('plugins: [a, [b]]'),
    'trellis.config.yaml:1:10, plugins: Only expecting a list of texts that are not empty',
  )
  assert.equal(refusalOf('config: x.json'), 'trellis.config.yaml:1:9, config: a configuration file cannot name another')
})

test('an unknown key is refused, with the most similar one', () => {
  assert.equal(
    json('{"serverPrt": 1}'),
    'trellis.config.json:1:2: there is no option "serverPrt", did you mean "serverPort"?',
  )
  assert.equal(
    refusalOf('query-plan-cache-size: 1'),
    'trellis.config.yaml:1:1: there is no option "query-plan-cache-size", did you mean "queryPlanCacheSize"?',
  )
  assert.equal(json('{"__proto__": 1}'), 'trellis.config.json:1:2: there is no option "__proto__"')
  assert.equal(refusalOf('frobnicate: 1'), 'trellis.config.yaml:1:1: there is no option "frobnicate"')
  assert.equal(refusalOf('? [a, b]\n: 1'), 'trellis.config.yaml:1:3: there is no option ""')
  assert.match(refusalOf(`"a\\nb${'c'.repeat(100)}": 1`), /there is no option "a\\nbc{57}…"$/)
})

test('a text that is not JSON is refused with its position', () => {
  assert.equal(json('{'), 'trellis.config.json:1:2: expecting }')
  assert.equal(json(''), 'trellis.config.json:1:1: expecting a value')
  for (const text of ['[]', 'null', '"adminSecret"', '5']) {
    assert.equal(json(text), 'trellis.config.json:1:1: expecting a JSON object of options')
  }
  assert.equal(json('{\n  retries: 1}'), 'trellis.config.json:2:3: keys and texts need double quotes')
  assert.equal(json('{"retries" 1}'), 'trellis.config.json:1:12: expecting a colon')
  assert.equal(json('{"retries": 1 "x": 2}'), 'trellis.config.json:1:15: expecting a comma')
  assert.equal(json('{"retries": }'), 'trellis.config.json:1:13: expecting a value')
  assert.equal(json('{"adminSecret": "x'), 'trellis.config.json:1:17: this text does not end')
  assert.equal(json('{} {}'), 'trellis.config.json:1:4: expecting the end of the file')
  assert.equal(json('{"retries": 1,\n "retries": 2}'), 'trellis.config.json:2:2: "retries" appears twice')
  assert.match(json('['.repeat(200_000)), /^trellis\.config\.json(:1:\d+)?: /)
  assert.match(json(`{"jwtSecret": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`), /^trellis\.config\.json.*: /)
})

test('a text that is not YAML is refused with its position', () => {
  assert.equal(refusalOf('retries: 1\nretries: 2'), 'trellis.config.yaml:2:1: this key appears twice')
  assert.equal(refusalOf('jwtSecret:\n\ttype: x'), 'trellis.config.yaml:2:1: indentation is by spaces, not by tabs')
  assert.equal(refusalOf('- a'), 'trellis.config.yaml:1:1: expecting a mapping of options')
  assert.equal(refusalOf('secret'), 'trellis.config.yaml:1:1: expecting a mapping of options')
  assert.equal(refusalOf('retries: 1\n---\nretries: 2'), 'trellis.config.yaml:2:1: expecting one document only')
  assert.equal(refusalOf('adminSecret: !env X'), 'trellis.config.yaml:1:14: this tag is not known')
  assert.equal(
    refusalOf('adminSecret: @x'),
    'trellis.config.yaml:1:14: a text that starts with this character needs quotes',
  )
  assert.match(refusalOf('corsDomain: *'), /^trellis\.config\.yaml:1:1\d: .*needs quotes\)$/)
  assert.equal(
    refusalOf('corsDomain: *x'),
    'trellis.config.yaml:1:13: "corsDomain": an alias without an anchor before it (a text that begins with * needs quotes)',
  )
  assert.match(refusalOf(`jwtSecret: ${'['.repeat(100_000)}`), /^trellis\.config\.yaml.*: /)
  assert.match(refusalOf(`jwtSecret: ${'['.repeat(20_000)}${']'.repeat(20_000)}`), /^trellis\.config\.yaml.*: /)
})

test('a few lines of aliases that expand too far are refused', () => {
  const levels = Array.from({ length: 12 }, (_, i) => `  l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}]`)
  const text = `apiLimits:\n  l0: &l0 [x]\n${levels.join('\n')}\n`
  assert.match(refusalOf(text), /^trellis\.config\.yaml:2:3: "apiLimits": too many aliases/)
})

test('no refusal quotes a value', () => {
  const secrets = ['adminSecret: "hidden', 'adminSecret: @hidden', 'adminSecret: *hidden', 'jwtSecret: {a: hidden: b}']
  for (const text of [...secrets, 'adminSecret: !hidden x', '"adminSecret: hidden', 'hidden']) {
    assert.doesNotMatch(refusalOf(text), /hidden/, text)
  }
  for (const text of [
    '{"adminSecret": hidden}',
    '{"adminSecret": "hidden}',
    '"hidden"',
    '{"mongodbUrl": ["hidden"]}',
  ]) {
    assert.doesNotMatch(json(text), /hidden/, text)
  }
})

test('a server starts from a YAML file, and says where its options are from', async (t) => {
  const cwd = temporaryDirectory(t)
  const { url } = await testDatabase(t)
  const text = `
databaseUrl: ${url}
serverPort: 0
serverHost: 127.0.0.1
adminSecret: [012, "x"]   # any one of them
apiLimits:
  depth_limit: {global: 2}
`
  writeFileSync(join(cwd, 'trellis.config.yaml'), text)
  const server = spawnTrellis(t, [], {}, { cwd })
  const client = clientOf(await server.ready())
  await server.output(/Options +from trellis\.config\.yaml, beside flags and variables\n/)
  await server.output(/"detail":"read options from trellis\.config\.yaml"/)
  const admin = await client.request('/v1/query', {
    body: { type: 'export_metadata', args: {} },
    headers: { 'x-service-admin-secret': '012' },
  })
  assert.equal(admin.status, 200)
})

test('a file that cannot be used ends the start with one line', async (t) => {
  const cwd = temporaryDirectory(t)
  mkdirSync(join(cwd, 'folder'))
  writeFileSync(join(cwd, 'latin1.yaml'), Buffer.from('adminSecret: h\xe9', 'latin1'))
  const { url } = await testDatabase(t)
  const base = `databaseUrl: ${url}\nserverPort: 0\nadminSecret: x\n`
  writeFileSync(join(cwd, 'limits.yaml'), `${base}apiLimits:\n  depth: 1\n`)
  writeFileSync(join(cwd, 'jwt.yaml'), `${base}jwtSecret: {type: HS256, key: short}\n`)
  writeFileSync(join(cwd, 'apis.json'), JSON.stringify({ databaseUrl: url, enabledApis: ['graphq'] }))
  const start = async (...args: string[]) => {
    const { code, stderr } = await spawnTrellis(t, args, {}, { cwd }).ended
    return { code, stderr }
  }
  const one = (line: string) => ({ code: 1, stderr: `Fatal Error:- ${line}\n` })
  assert.deepEqual(
    await start('--config', 'folder'),
    one('Configuration file folder: cannot be read: it is a directory'),
  )
  assert.deepEqual(
    await start('--config', 'latin1.yaml'),
    one('Configuration file latin1.yaml: cannot be read: it is not UTF-8 text'),
  )
  assert.deepEqual(
    await start('--config', '/dev/zero'),
    one('Configuration file /dev/zero: cannot be read: it has more than 1 MiB'),
  )
  assert.deepEqual(
    await start('--config', 'limits.yaml'),
    one('Configuration file limits.yaml:5:3, apiLimits: $.depth: Unexpected property'),
  )
  assert.deepEqual(
    await start('--config', 'jwt.yaml'),
    one(
      'Configuration file jwt.yaml:4:12, jwtSecret: Invalid JWK: Key size too small; should be atleast 32 characters',
    ),
  )
  assert.match(
    (await start('--config', 'apis.json')).stderr,
    /^Fatal Error:- Configuration file apis\.json:1:\d+, enabledApis: Only expecting list/,
  )
})
