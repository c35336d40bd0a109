// `trellis token`: signed for every place where a configuration looks for claims, and read by the server itself.

import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { StartError } from '../../core/errors/start-error.ts'
import { dialects } from '../../core/names/dialect.ts'
import { readCommand } from '../../process/cli.ts'
import { builtInCommands, builtInOptions, parseSettings } from '../support/built-in-options.ts'
import { spawnTrellis, temporaryDirectory } from '../support/process.ts'
import { startTrellis } from '../support/trellis.ts'
import { macKey, rsaPair } from './tokens.ts'

const hmac = { type: 'HS256', key: macKey }

/** The output of the command for these arguments and this `--jwt-secret`, run in this process. */
async function token(secret: object | null, ...args: readonly string[]) {
  const command = readCommand(['token', ...args], builtInOptions, builtInCommands)
  assert.ok(command.name === 'run')
  const variables = secret === null ? {} : { SERVICE_GRAPHQL_JWT_SECRET: JSON.stringify(secret) }
  const { settings } = parseSettings(command.commandLine, { variables, isPartial: true })
  const { flags } = command
  return (await command.command.run({ flags, settings, dialect: dialects[settings.dialect] })).trim()
}

/** The program, run until it ends. */
async function run(t: TestContext, ...args: readonly string[]) {
  const { code, stdout, stderr } = await spawnTrellis(t, args, {}, { cwd: temporaryDirectory(t) }).ended
  return { code, stdout, stderr }
}

const payloadOf = (text: string) => JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString())

const sql = `
  create table book (id int primary key, owner text, title text);
  insert into book values (1, '7', 'Dawn'), (2, '8', 'Dusk')`

const configurations: readonly (readonly [string, object])[] = [
  ['the default namespace', { ...hmac, audience: ['shop', 'stock'], issuer: 'us' }],
  ['another namespace, as text', { ...hmac, claims_namespace: 'app', claims_format: 'stringified_json' }],
  ['a path', { ...hmac, type: 'HS512', claims_namespace_path: "$.app['our claims']" }],
  ['the whole payload', { ...hmac, claims_namespace_path: '$' }],
  [
    'a map of claims',
    {
      ...hmac,
      claims_map: {
        'x-service-allowed-roles': { path: '$.realm.roles' },
        'x-service-default-role': { path: '$.realm.main' },
        'x-service-user-id': { path: '$.sub' },
        'x-service-app': 'shop',
      },
    },
  ],
]

for (const [name, secret] of configurations) {
  test(`a signed token opens the server: ${name}`, async (t) => {
    const signed = await token(secret, '--role', 'reader', '--claim', 'User-Id=7')
    const settings = { adminSecret: 'sesame', jwtSecret: JSON.stringify(secret) }
    const { op, graphql } = await startTrellis(t, { sql, settings })
    const admin = { headers: { 'x-service-admin-secret': 'sesame' } }
    await op('track_table', 'book', admin)
    const permission = { columns: ['title'], filter: { owner: 'X-Service-User-Id' } }
    await op('create_select_permission', { table: 'book', role: 'reader', permission }, admin)
    const headers = { authorization: `Bearer ${signed}` }
    assert.deepEqual(await graphql('{ book { title } }', {}, { headers }), { data: { book: [{ title: 'Dawn' }] } })
  })
}

test('a token expires in an hour, at a given time, or never; several roles are allowed', async () => {
  const life = async (...args: readonly string[]) => {
    const { iat, exp } = payloadOf(await token(hmac, '--role', 'a', ...args))
    return exp === undefined ? null : exp - iat
  }
  assert.deepEqual(await Promise.all([life(), life('--expires', '7d'), life('--expires', 'never')]), [
    3600,
    604_800,
    null,
  ])
  const text = await token(hmac, '--role', 'a', '--role', 'b', '--dialect', 'trellis')
  assert.deepEqual(payloadOf(text)['https://hasura.io/jwt/claims'], {
    'x-service-allowed-roles': ['a', 'b'],
    'x-service-default-role': 'a',
  })
})

test('the lines of Node in the docs sign a token that opens the server', async (t) => {
  const page = readFileSync(new URL('../../docs/authentication.md', import.meta.url), 'utf8')
  const [, code = ''] = /```js\n(import \{ createHmac.*?)```/s.exec(page) ?? []
  const [, secret = ''] = /--jwt-secret '(\{.*?\})'/.exec(page) ?? []
  const { key } = JSON.parse(secret) as { key: string }
  const command = [process.execPath, '--input-type=module', '-e', code]
  const { stdout } = await spawnTrellis(t, [], { JWT_KEY: key }, { command }).ended
  const { graphql } = await startTrellis(t, { settings: { adminSecret: 'sesame', jwtSecret: secret } })
  const headers = { authorization: `Bearer ${stdout.trim()}` }
  assert.deepEqual(await graphql('{ __typename }', {}, { headers }), { data: { __typename: 'query_root' } })
  const { iat, exp, ...rest } = payloadOf(stdout)
  const signed = await token(JSON.parse(secret), '--role', 'customer', '--claim', 'user-id=7')
  const { iat: _, exp: __, ...same } = payloadOf(signed)
  assert.deepEqual([exp - iat, rest], [3600, same])
})

test('a token of the other dialect has its names', async (t) => {
  const secret = ['--dialect', 'hasura', '--jwt-secret', JSON.stringify(hmac)]
  const { code, stdout, stderr } = await run(t, 'token', ...secret, '--role', 'a', '--claim', 'x-hasura-user-id=7')
  const claims = payloadOf(stdout)['https://hasura.io/jwt/claims']
  assert.deepEqual([code, stderr, claims['x-hasura-default-role'], claims['x-hasura-user-id']], [0, '', 'a', '7'])
})

test('a token that cannot be signed is refused in one line', async (t) => {
  const option = '--jwt-secret (SERVICE_GRAPHQL_JWT_SECRET)'
  const advice = 'let the issuer sign, or use a key of type HS256 in development'
  const map = {
    'x-service-allowed-roles': ['reader'],
    'x-service-default-role': 'reader',
    'x-service-user-id': { path: '$.sub' },
  }
  const role = ['--role', 'reader']
  const pem = createPublicKey(rsaPair().pem).export({ type: 'spki', format: 'pem' })
  const refusals: readonly (readonly [object | null, readonly string[], string])[] = [
    [null, role, `trellis token signs with the key of ${option}, which is not set`],
    [
      { type: 'RS256', key: pem },
      role,
      `${option}: the key of type RS256 is public, which verifies tokens and cannot sign them: ${advice}`,
    ],
    [
      { jwk_url: 'https://a.test/k' },
      role,
      `${option}: the keys of a jwk_url verify tokens and cannot sign them: ${advice}`,
    ],
    [
      { type: 'HS256', key: 'short' },
      role,
      `${option}: Invalid JWK: Key size too small; should be atleast 32 characters`,
    ],
    [hmac, [], 'trellis token needs --role ROLE'],
    [hmac, [...role, '--claim', 'user-id'], '--claim "user-id": only expecting KEY=VALUE, such as user-id=7'],
    [hmac, [...role, '--claim', 'role=x'], '--claim role: roles are given by --role, and secrets are no claims'],
    [hmac, [...role, '--expires', '1y'], '--expires "1y": only expecting a time such as 30m, 12h or 7d, or never'],
    [
      { ...hmac, claims_map: map },
      role,
      'claims_map reads x-service-user-id from each token: add --claim user-id=VALUE',
    ],
    [{ ...hmac, claims_map: map }, [...role, '--claim', 'town=a'], '--claim town: claims_map has no x-service-town'],
    [{ ...hmac, claims_map: map }, ['--role', 'writer'], 'claims_map fixes x-service-allowed-roles to ["reader"]'],
  ]
  for (const [secret, args, reason] of refusals) {
    await assert.rejects(token(secret, ...args), (error: Error) => {
      assert.ok(error instanceof StartError)
      assert.equal(error.message, reason)
      return true
    })
  }
  const [[, args, reason] = [null, [], '']] = refusals
  const expected = { code: 1, stdout: '', stderr: `Fatal Error: ${reason}\n` }
  assert.deepEqual(await run(t, 'token', ...args), expected)
})
