// `.env` of the working directory, and secrets that are given as files.

import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { dialects } from '../../core/names/dialect.ts'
import { loadEnvFile } from '../../process/env-file.ts'
import { OptionsError } from '../../process/settings.ts'
import { builtInOptions as options, parseSettings, readCommandLine } from '../support/built-in-options.ts'
import { clientOf } from '../support/client.ts'
import { testDatabase } from '../support/database.ts'
import { spawnTrellis, temporaryDirectory } from '../support/process.ts'

type Variables = Readonly<Record<string, string>>

/** The settings that variables of the process and texts of files give. */
function parse(variables: Variables, files: Readonly<Record<string, string>> = {}, argv: readonly string[] = []) {
  const all: Record<string, string | undefined> = { ...variables }
  const readFile = (path: string) => files[path] ?? null
  const envFile = loadEnvFile(all, readFile)
  return { ...parseSettings(readCommandLine(argv), { variables: all, envFile, readFile }), variables: all }
}

const refused = (work: () => unknown, message: string) =>
  assert.throws(work, (error) => {
    assert.ok(error instanceof OptionsError, String(error))
    assert.equal(error.message, message)
    return true
  })

test('variables of the process take precedence over those of the file', () => {
  const text = 'SERVICE_GRAPHQL_NO_OF_RETRIES=7\nSERVICE_GRAPHQL_SERVER_PORT="7" # seven\r\nexport OTHER=\'a b\'\n'
  const { settings, variables, files } = parse({ SERVICE_GRAPHQL_SERVER_PORT: '8' }, { '.env': text })
  assert.deepEqual([settings.retries, settings.serverPort, variables['OTHER']], [7, 8, 'a b'])
  assert.deepEqual(files, ['.env'])
  assert.deepEqual(parse({}, {}).files, [])
})

test('the file takes precedence over the configuration file, and may name one and the dialect', () => {
  const files = {
    '.env': 'SERVICE_GRAPHQL_DIALECT=hasura\nSERVICE_GRAPHQL_CONFIG=x.yaml\nHASURA_GRAPHQL_NO_OF_RETRIES=7',
    'x.yaml': 'retries: 3\nconnections: 3',
  }
  const { settings, files: read } = parse({}, files)
  assert.deepEqual([settings.dialect, settings.retries, settings.connections], ['hasura', 7, 3])
  assert.deepEqual(read, ['.env', 'x.yaml'])
})

test('production does not read it', () => {
  const { settings, files } = parse({ NODE_ENV: 'production' }, { '.env': 'SERVICE_GRAPHQL_NO_OF_RETRIES=7' })
  assert.deepEqual([settings.retries, files], [1, []])
})

test('invalid values and unknown options in it are named', () => {
  refused(
    () => parse({}, { '.env': 'SERVICE_GRAPHQL_SERVER_PORT=x' }),
    'Fatal Error:- Environment variable SERVICE_GRAPHQL_SERVER_PORT of .env: Only expecting a whole number from 0 to 65535',
  )
  const { unknownVariables } = parse({}, { '.env': 'SERVICE_GRAPHQL_ADMIN_SECRT=x' })
  assert.deepEqual(unknownVariables, ['SERVICE_GRAPHQL_ADMIN_SECRT'])
})

test('every secret with a variable may be given as a file, in both dialects', () => {
  const values: Readonly<Record<string, string>> = {
    databaseUrl: 'postgres://u:p@h/d',
    metadataDatabaseUrl: 'postgres://u:p@h/d',
    jwtSecret: '{"type":"x"}',
    mongodbUrl: 'mongodb://u:p@h/d',
    webhookSigningSecrets: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  }
  const secrets = options.filter(({ declaration: { secret, variable } }) => secret && variable !== undefined)
  assert.ok(secrets.length >= 5)
  for (const { key, declaration } of secrets) {
    const value = values[key] ?? 'hidden'
    for (const [dialect, { environmentPrefix: prefix }] of Object.entries(dialects)) {
      const argv = ['--dialect', dialect, ...(['jwtSecret', 'readSecret'].includes(key) ? ['--admin-secret', 's'] : [])]
      for (const text of [value, `${value}\n`, `${value}\r\n`]) {
        const { settings, unknownVariables } = parse(
          { [`${prefix}${declaration.variable}_FILE`]: '/s' },
          { '/s': text },
          argv,
        )
        assert.deepEqual([settings[key], unknownVariables], [value, []])
      }
    }
  }
})

test('only one line end is removed', () => {
  const secret = (text: string) =>
    parse({ SERVICE_GRAPHQL_ADMIN_SECRET_FILE: '/s' }, { '/s': text }).settings.adminSecret
  assert.equal(secret(' a b \n\n'), ' a b \n')
})

test('a secret is given as a value or as a file', () => {
  const name = 'SERVICE_GRAPHQL_ADMIN_SECRET'
  const files = { '/s': 'of-file' }
  refused(
    () => parse({ [name]: 'hidden', [`${name}_FILE`]: '/s' }, files),
    `Fatal Error:- Environment variables ${name} and ${name}_FILE are both given: keep one`,
  )
  assert.equal(parse({ [`${name}_FILE`]: '/s' }, files, ['--admin-secret', 'of-flag']).settings.adminSecret, 'of-flag')
  // The environment of the process overrides `.env`, in either of the two forms.
  assert.equal(parse({ [`${name}_FILE`]: '/s' }, { ...files, '.env': `${name}=x` }).settings.adminSecret, 'of-file')
  assert.equal(parse({ [name]: 'x' }, { ...files, '.env': `${name}_FILE=/s` }).settings.adminSecret, 'x')
  assert.equal(parse({}, { ...files, '.env': `${name}_FILE=/s` }).settings.adminSecret, 'of-file')
})

test('other options have no file', () => {
  const { settings, unknownVariables } = parse({ SERVICE_GRAPHQL_SERVER_PORT_FILE: '/s' }, { '/s': '1' })
  assert.deepEqual([settings.serverPort, unknownVariables], [8080, ['SERVICE_GRAPHQL_SERVER_PORT_FILE']])
})

interface Start {
  readonly cwd: string
  readonly env: Variables
}

/** The exit code and the output of a start that fails. */
async function failure(t: TestContext, { cwd, env }: Start) {
  const { code, stdout, stderr } = await spawnTrellis(t, [], env, { cwd }).ended
  return { code, stdout, stderr }
}

test('a file that holds no secret ends the start with one line that does not quote it', async (t) => {
  const cwd = temporaryDirectory(t)
  mkdirSync(join(cwd, 'folder'))
  writeFileSync(join(cwd, 'empty'), '\n')
  writeFileSync(join(cwd, 'bad-url'), 'hidden-words')
  writeFileSync(join(cwd, 'bytes'), Buffer.from([0x68, 0xff]))
  const text = 'Only expecting a text that is not empty'
  const url =
    'Only expecting a URL such as postgres://user:password@host:5432/database, special characters percent-encoded'
  const cases: readonly (readonly [string, string, string])[] = [
    ['ADMIN_SECRET_FILE', 'nowhere', ', file nowhere: does not exist'],
    ['ADMIN_SECRET_FILE', 'empty/below', ', file empty/below: does not exist'],
    ['ADMIN_SECRET_FILE', 'folder', ', file folder: cannot be read: it is a directory'],
    ['JWT_SECRET_FILE', 'bytes', ', file bytes: cannot be read: it is not UTF-8 text'],
    ['METRICS_SECRET_FILE', 'empty', `, file empty: ${text}`],
    ['DATABASE_URL_FILE', 'bad-url', `, file bad-url: ${url}`],
    ['DATABASE_URL_FILE', '', ': Only expecting the path of a file'],
  ]
  for (const [variable, path, reason] of cases) {
    const name = `SERVICE_GRAPHQL_${variable}`
    const stderr = `Fatal Error:- Environment variable ${name}${reason}\n`
    assert.deepEqual(await failure(t, { cwd, env: { [name]: path } }), { code: 1, stdout: '', stderr })
  }
})

test('a server takes its options from .env and files, and logs that', async (t) => {
  const cwd = temporaryDirectory(t)
  const { url } = await testDatabase(t)
  writeFileSync(join(cwd, 'secret'), 'sesame\n')
  writeFileSync(join(cwd, '.env'), `SERVICE_GRAPHQL_DATABASE_URL=${url}\nSERVICE_GRAPHQL_SERVER_PORT=1\n`)
  const env = { SERVICE_GRAPHQL_ADMIN_SECRET_FILE: 'secret', SERVICE_GRAPHQL_SERVER_PORT: '0' }
  const server = spawnTrellis(t, ['--server-host', '127.0.0.1'], env, { cwd })
  const client = clientOf(await server.ready())
  await server.output(/Options +from \.env, beside flags and variables\n/)
  const config = (secret: string) =>
    client.request('/v1alpha1/config', { headers: { 'x-service-admin-secret': secret } }).then(({ status }) => status)
  assert.deepEqual([await config('sesame'), await config('guess')], [200, 401])
  server.kill('SIGTERM')
  const { stdout, stderr } = await server.ended
  assert.match(stdout, /"detail":"read options from \.env"/)
  assert.doesNotMatch(stdout + stderr, /sesame/)
})

test('an .env that cannot be read ends the start; a directory of that name is something else', async (t) => {
  const cwd = temporaryDirectory(t)
  writeFileSync(join(cwd, '.env'), Buffer.from([0xff, 0xfe]))
  const env = { SERVICE_GRAPHQL_SERVER_PORT: 'x' }
  const refusedPort =
    'Fatal Error:- Environment variable SERVICE_GRAPHQL_SERVER_PORT: Only expecting a whole number from 0 to 65535\n'
  assert.deepEqual(await failure(t, { cwd, env }), {
    code: 1,
    stdout: '',
    stderr: 'Fatal Error:- File .env cannot be read: it is not UTF-8 text\n',
  })
  const production = await failure(t, { cwd, env: { ...env, NODE_ENV: 'production' } })
  assert.equal(production.stderr, refusedPort)
  const other = temporaryDirectory(t)
  mkdirSync(join(other, '.env'))
  assert.equal((await failure(t, { cwd: other, env })).stderr, refusedPort)
})
