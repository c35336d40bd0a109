// Options and start-up in the names of both dialects.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { helpText } from '../../process/help.ts'
import { OptionsError } from '../../process/settings.ts'
import { builtInOptions as options, parseSettings, readCommandLine } from '../support/built-in-options.ts'
import { clientOf } from '../support/client.ts'
import { testDatabase } from '../support/database.ts'
import { spawnTrellis } from '../support/process.ts'
import { dialectOf, type Word, words } from './world.ts'

const prefixOf = (word: Word) => `${word.toUpperCase()}_GRAPHQL_`

const parse = (word: Word, argv: readonly string[], variables: Record<string, string> = {}) =>
  parseSettings(readCommandLine(['--dialect', dialectOf(word), ...argv]), { variables, readFile: () => null })

function refusal(word: Word, argv: readonly string[], variables: Record<string, string> = {}): string {
  try {
    parse(word, argv, variables)
  } catch (error) {
    if (error instanceof OptionsError) return error.message
    throw error
  }
  return assert.fail('was accepted')
}

const secrets = (prefix: string) => `--admin-secret (${prefix}ADMIN_SECRET) or  --access-key (${prefix}ACCESS_KEY)`

interface Refused {
  readonly argv?: readonly string[]
  variables?(prefix: string): Record<string, string>
  message(prefix: string): string
}

const refused: readonly Refused[] = [
  {
    argv: ['--unauthorized-role', 'guest'],
    message: (prefix) =>
      `Fatal Error: --unauthorized-role (${prefix}UNAUTHORIZED_ROLE) requires ${secrets(prefix)} to be set and is not allowed when --auth-hook (${prefix}AUTH_HOOK) is set`,
  },
  {
    argv: ['--auth-hook', 'http://hook.test/'],
    message: (prefix) => `Fatal Error : --auth-hook (${prefix}AUTH_HOOK) requires ${secrets(prefix)} to be set`,
  },
  {
    argv: ['--jwt-secret', '{}'],
    message: (prefix) => `Fatal Error : --jwt-secret (${prefix}JWT_SECRET) requires ${secrets(prefix)} to be set`,
  },
  {
    argv: ['--host', 'h'],
    message: (prefix) =>
      `Fatal Error : Invalid options. Expecting all database connection params (host, port, user, dbname, password) or database-url (${prefix}DATABASE_URL)`,
  },
  {
    variables: (prefix) => ({ [`${prefix}SERVER_PORT`]: 'http' }),
    message: (prefix) =>
      `Fatal Error:- Environment variable ${prefix}SERVER_PORT: Only expecting a whole number from 0 to 65535`,
  },
  {
    variables: (prefix) => ({ [`${prefix}AUTH_HOOK_TYPE`]: 'get' }),
    message: (prefix) => `Fatal Error:- Environment variable ${prefix}AUTH_HOOK_TYPE: Only expecting GET / POST`,
  },
]

for (const word of words) {
  const prefix = prefixOf(word)

  test(`every option has its variable under ${prefix}, and only there`, () => {
    const other = prefixOf(word === 'service' ? 'hasura' : 'service')
    const named = options.filter(
      ({ key, declaration }) => declaration.variable && key !== 'config' && key !== 'dialect',
    )
    for (const { declaration } of named) {
      // The value may be read or refused; either differs from an absent one.
      const value = declaration.kind === 'string' ? '' : 'nonsense'
      const read = (name: string) => {
        try {
          return JSON.stringify(parse(word, [], { [name]: value }).settings)
        } catch (error) {
          return (error as Error).message
        }
      }
      const without = JSON.stringify(parse(word, []).settings)
      assert.notEqual(read(prefix + declaration.variable), without, declaration.variable)
      assert.equal(read(other + declaration.variable), without, declaration.variable)
    }
  })

  test(`refusals at the start name variables of ${prefix}`, () => {
    for (const { argv = [], variables, message } of refused) {
      assert.equal(refusal(word, argv, variables?.(prefix)), message(prefix))
    }
  })

  test(`unknown variables of ${prefix} are reported; those of the other dialect are ignored`, () => {
    const given = { [`${prefix}ADMIN_SECRT`]: 'x', [`${prefixOf(word === 'service' ? 'hasura' : 'service')}X`]: 'y' }
    assert.deepEqual(parse(word, [], given).unknownVariables, [`${prefix}ADMIN_SECRT`])
  })

  test(`a server can be configured by variables of ${prefix} alone`, async (t) => {
    const { url } = await testDatabase(t)
    const variables = {
      DATABASE_URL: url,
      SERVER_HOST: '127.0.0.1',
      SERVER_PORT: '0',
      ADMIN_SECRET: 'sesame',
      ENABLED_APIS: 'metadata,config',
      UNAUTHORIZED_ROLE: 'guest',
      NONSENSE: '1',
    }
    const env = Object.fromEntries(Object.entries(variables).map(([name, value]) => [prefix + name, value]))
    const server = spawnTrellis(t, ['--dialect', dialectOf(word)], env)
    const client = clientOf(await server.ready())
    const headers = { [`x-${word}-admin-secret`]: 'sesame' }
    const { body } = await client.request<Record<string, unknown>>('/v1alpha1/config', { headers })
    assert.equal(body['is_admin_secret_set'], true)
    assert.equal((await client.request('/v1/graphql', { body: { query: '{ __typename }' } })).status, 404)
    const wrong = await client.request('/v1/query', { body: {}, headers: { [`x-${word}-admin-secret`]: 'guess' } })
    assert.deepEqual(wrong.body, {
      path: '$',
      error: `invalid x-${word}-admin-secret/x-${word}-access-key`,
      code: 'access-denied',
    })
    await server.output(new RegExp(`Ignored +${prefix}NONSENSE: no such option\n`))
  })
}

test('the variable of the dialect, and that of the configuration file, are the same in both', () => {
  const variables = { SERVICE_GRAPHQL_DIALECT: 'hasura', HASURA_GRAPHQL_SERVER_PORT: '7' }
  assert.equal(parseSettings(readCommandLine([]), { variables, readFile: () => null }).settings.serverPort, 7)
  const files: string[] = []
  const read = (path: string) => {
    files.push(path)
    return '{}'
  }
  const own = { SERVICE_GRAPHQL_CONFIG: 'own.json' }
  parseSettings(readCommandLine(['--dialect', 'hasura']), { variables: own, readFile: read })
  assert.deepEqual(files, ['own.json'])
})

test('the database of the metadata is served when no other is given', () => {
  const read = (variables: Record<string, string>, ...argv: string[]) =>
    parseSettings(readCommandLine(['--dialect', 'hasura', ...argv]), { variables, readFile: () => null }).settings
  const metadata = { HASURA_GRAPHQL_METADATA_DATABASE_URL: 'postgres://meta:s@db:5432/app' }
  assert.equal(read(metadata).databaseUrl, 'postgres://meta:s@db:5432/app')
  const both = { ...metadata, HASURA_GRAPHQL_DATABASE_URL: 'postgres://db/rows' }
  assert.equal(read(both).databaseUrl, 'postgres://db/rows')
  assert.match(
    read(metadata, '--host', 'other', '--port', '1', '--user', 'u', '--password', 'p', '--dbname', 'd').databaseUrl!,
    /other/,
  )
  assert.throws(() => read({ HASURA_GRAPHQL_METADATA_DATABASE_URL: 'mysql://db/app' }), /METADATA_DATABASE_URL/)
})

test('the variable of several secrets takes precedence', () => {
  const variables = { HASURA_GRAPHQL_ADMIN_SECRETS: '["a", "b"]', HASURA_GRAPHQL_ADMIN_SECRET: 'old' }
  const given = parseSettings(readCommandLine(['--dialect', 'hasura']), { variables, readFile: () => null })
  assert.equal(given.settings.adminSecret, '["a", "b"]')
})

test('the help text names both prefixes', () => {
  const text = helpText(options)
  assert.match(text, /variable SERVICE_GRAPHQL_SERVER_PORT/)
  assert.match(text, /With --dialect hasura\s+the variables start with HASURA_GRAPHQL_/)
})
